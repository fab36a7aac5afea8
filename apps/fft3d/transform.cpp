// SPDX-License-Identifier: BSD-3-Clause
//
// The variants of the transform. A plane is transformed from its array into a buffer that fits into
// a core's cache, and sent from there, so an array is read once and its planes are not written
// back. Variants with the same grid share arrays and plans, and all share the buffers of messages.
#include <apps/fft3d/elegant.hpp>
#include <apps/fft3d/exchange.hpp>
#include <apps/fft3d/plans.hpp>
#include <apps/fft3d/transform.hpp>
#include <apps/trial/larger_error.hpp>
#include <apps/trial/own_team.hpp>

#include <algorithm>

namespace fft3d {
namespace {

/// An array as a sequence of planes.
struct planes {
  complex* first;
  std::size_t count;
  std::size_t size;  // numbers of one
};

/// The ranks of a grid, their arrays, and the plans.
struct grid_workspace {
  grid_workspace(atl::team& world, const extent& size, trial::grid ranks, unsigned planning)
      : places(size, ranks, world.rank()),
        memory(world, bytes_needed(places, world.size())),
        field(take()),
        middle(places.has_slabs() ? field : take()),
        spectrum(take()),
        row(trial::split(world, places.row(), world.rank())),
        column(trial::split(world, places.column(), world.rank())) {
    make_plans(planning);
  }

  complex* take() { return memory.take<complex>(places.box_size_max()); }

  static std::size_t bytes_needed(const layout& places, std::size_t ranks) {
    return places.array_count() * trial::arena::bytes_of(places.box_size_max(), sizeof(complex)) +
           puts_max * bytes_of_puts(ranks);
  }

  void make_plans(unsigned planning) {
    const plane_shape slab{places.size().n1, places.middle().i2.count};
    const plane_shape lines{places.field().i1.count, places.size().n2};
    const plane_shape last{places.size().n0, places.spectrum().i2.count};
    const bool has_slabs = places.has_slabs();
    const along planes = has_slabs ? along::rows_and_columns : along::columns;
    const auto make = [=](plane_shape shape, along part, direction to, bool in_place) {
      return plane_transform(shape, part, to, in_place, planning);
    };
    forward_middle = make(slab, planes, direction::forward, false);
    inverse_middle = make(slab, planes, direction::inverse, has_slabs);
    forward_last = make(last, along::columns, direction::forward, true);
    inverse_last = make(last, along::columns, direction::inverse, false);
    if (!has_slabs) {
      forward_lines = make(lines, along::rows, direction::forward, false);
      inverse_lines = make(lines, along::rows, direction::inverse, true);
    }
    buffer.resize(std::max({slab.points(), lines.points(), last.points()}));
  }

  planes field_planes() const {
    const box part = places.field();
    return {field, part.i0.count, part.i1.count * part.i2.count};
  }
  planes middle_planes() const {
    const box part = places.middle();
    return {middle, part.i0.count, part.i1.count * part.i2.count};
  }
  planes spectrum_planes() const {
    const box part = places.spectrum();
    return {spectrum, part.i1.count, part.i0.count * part.i2.count};
  }

  static constexpr std::size_t puts_max = 8;  // exchanges by puts: four for each of two variants

  layout places;
  trial::arena memory;
  complex* field;
  complex* middle;
  complex* spectrum;
  trial::own_team row;
  trial::own_team column;
  std::vector<complex> buffer;  // a plane
  plane_transform forward_lines, forward_middle, forward_last;
  plane_transform inverse_lines, inverse_middle, inverse_last;
};

class staged_transform final : public trial::variant {
 public:
  staged_transform(const problem& problem, std::shared_ptr<grid_workspace> workspace,
                   std::shared_ptr<message_buffers> buffers, const kind& chosen)
      : problem_(problem),
        workspace_(std::move(workspace)),
        buffers_(std::move(buffers)),
        kind_(chosen) {
    const layout& places = workspace_->places;
    to_spectrum_ = make({*workspace_->column, places.middle_to_spectrum(), workspace_->spectrum});
    to_middle_ = make({*workspace_->column, places.spectrum_to_middle(), workspace_->middle});
    if (places.has_slabs()) return;
    from_field_ = make({*workspace_->row, places.field_to_middle(), workspace_->middle});
    to_field_ = make({*workspace_->row, places.middle_to_field(), workspace_->field});
  }

  std::string_view name() const override { return kind_.name; }
  void prepare() override { problem_.fill(workspace_->places.field(), workspace_->field); }
  void run() override {
    forward();
    inverse();
  }
  double error() override {
    return problem_.error_of_field(workspace_->places.field(), workspace_->field);
  }
  double rehearse(trial::group& ranks) override {
    prepare();
    ranks.barrier();
    forward();
    const double of_spectrum =
        problem_.error_of_spectrum(workspace_->places.spectrum(), workspace_->spectrum);
    inverse();
    return trial::larger_error(of_spectrum, error());
  }

 private:
  std::unique_ptr<exchange> make(const destination& to) {
    if (kind_.by == transport::blocking) return make_blocking(to, *buffers_);
    if (kind_.by == transport::slabs) return make_slabs(to, kind_.timing, *buffers_);
    return make_puts(workspace_->memory, to, kind_.timing, *buffers_);
  }

  void forward() {
    if (from_field_)
      send_planes(workspace_->forward_lines, workspace_->field_planes(), *from_field_);
    send_planes(workspace_->forward_middle, workspace_->middle_planes(), *to_spectrum_);
    transform_planes(workspace_->forward_last, workspace_->spectrum_planes());
  }

  void inverse() {
    send_planes(workspace_->inverse_last, workspace_->spectrum_planes(), *to_middle_);
    if (to_field_) {
      send_planes(workspace_->inverse_middle, workspace_->middle_planes(), *to_field_);
      transform_planes(workspace_->inverse_lines, workspace_->field_planes());
    } else {
      transform_planes(workspace_->inverse_middle, workspace_->middle_planes());
    }
  }

  // Transforms each plane into the buffer, and sends it.
  void send_planes(const plane_transform& apply, const planes& source, exchange& sender) {
    complex* const buffer = workspace_->buffer.data();
    sender.begin();
    for (std::size_t plane = 0; plane < source.count; ++plane) {
      apply(source.first + plane * source.size, buffer);
      sender.send(plane, buffer);
    }
    sender.finish();
  }

  static void transform_planes(const plane_transform& apply, const planes& array) {
    for (std::size_t plane = 0; plane < array.count; ++plane)
      apply(array.first + plane * array.size, array.first + plane * array.size);
  }

  const problem& problem_;
  std::shared_ptr<grid_workspace> workspace_;
  std::shared_ptr<message_buffers> buffers_;
  const kind& kind_;
  std::unique_ptr<exchange> from_field_, to_spectrum_, to_middle_, to_field_;
};

/// Makes each grid_workspace when the first variant needs it.
class grid_workspaces {
 public:
  grid_workspaces(atl::team& world, const extent& size, unsigned planning)
      : world_(world), size_(size), planning_(planning) {}

  std::shared_ptr<grid_workspace> get(bool has_pencils) {
    std::shared_ptr<grid_workspace>& workspace = has_pencils ? pencils_ : slabs_;
    if (!workspace) {
      workspace = std::make_shared<grid_workspace>(world_, size_,
                                                   grid_of(world_.size(), has_pencils), planning_);
    }
    return workspace;
  }

 private:
  atl::team& world_;
  extent size_;
  unsigned planning_;
  std::shared_ptr<grid_workspace> slabs_;
  std::shared_ptr<grid_workspace> pencils_;
};

}  // namespace

std::vector<std::string> job_variants() {
  std::vector<std::string> names{elegant_name};
  for (const kind& each : kinds) names.emplace_back(each.name);
  return names;
}

trial::variant_list make_job_variants(atl::team& world, const problem& problem, unsigned planning,
                                      const std::vector<std::string>& names) {
  trial::variant_list made;
  grid_workspaces shared(world, problem.size(), planning);
  const auto buffers = std::make_shared<message_buffers>();
  for (const std::string& name : names) {
    if (name == elegant_name) {
      made.push_back(make_elegant(world, problem, planning));
      continue;
    }
    const kind& chosen = *find_kind(name);
    made.push_back(std::make_unique<staged_transform>(problem, shared.get(chosen.has_pencils),
                                                      buffers, chosen));
  }
  world.barrier();  // from here on peers write to the memory
  return made;
}

}  // namespace fft3d
