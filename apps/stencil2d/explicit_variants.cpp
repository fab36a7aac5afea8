// SPDX-License-Identifier: BSD-3-Clause
//
// The explicit exchange in five ways, which differ in what they wait for.
//
//   trivial   eight puts, a barrier of all, the whole block
//   put       eight puts and a signal to each neighbour; the inner region; all signals; the sides
//   get       a signal that the values are ready; all signals; eight gets; the whole block
//   get0      a signal; the inner region; then each piece of the sides as soon as the neighbours
//             that it needs have signalled and its halos have arrived
//   get1      the same, but every other rank does the sides first, so that half of the ranks have
//             the values ready that the others will get
#include <apps/stencil2d/shared_fields.hpp>

namespace stencil2d {
namespace {

class explicit_variant : public variant {
 public:
  explicit_variant(std::string_view name, std::shared_ptr<shared_fields> fields)
      : name_(name), fields_(std::move(fields)) {}

  std::string_view name() const override { return name_; }
  double* field() override { return fields_->now(); }
  void run(unsigned steps) override {
    for (unsigned each = 0; each < steps; ++each) {
      step(*fields_);
      fields_->next_step();
    }
    fields_->finish();
  }

 protected:
  /// Makes the next values from those of now.
  virtual void step(shared_fields& fields) = 0;

 private:
  std::string_view name_;
  std::shared_ptr<shared_fields> fields_;
};

void put_borders(shared_fields& fields) {
  for (std::size_t d = 0; d < directions.size(); ++d) fields.put_border(d);
}

class trivial final : public explicit_variant {
  using explicit_variant::explicit_variant;
  void step(shared_fields& fields) override {
    put_borders(fields);
    fields.finish();
    fields.team().barrier();
    fields.compute_all();
  }
};

class put_early final : public explicit_variant {
  using explicit_variant::explicit_variant;
  void step(shared_fields& fields) override {
    put_borders(fields);
    const std::uint64_t point = fields.flags().notify_all();
    fields.compute(fields.cuts().inner);
    fields.flags().wait_all(point);
    fields.compute_sides();
  }
};

class get_all final : public explicit_variant {
  using explicit_variant::explicit_variant;
  void step(shared_fields& fields) override {
    fields.flags().wait_all(fields.flags().notify_all());
    for (std::size_t d = 0; d < directions.size(); ++d) fields.get_halo(d);
    fields.finish();
    fields.compute_all();
  }
};

// Gets the halos of the directions in `wanted`.
void get_halos(shared_fields& fields, unsigned wanted) {
  for (std::size_t d = 0; d < directions.size(); ++d)
    if (wanted >> d & 1) fields.get_halo(d);
  fields.finish();
}

// The directions in which the neighbours have reached this point.
unsigned arrived_directions(shared_fields& fields, std::uint64_t point) {
  unsigned bits = 0;
  for (std::size_t d = 0; d < directions.size(); ++d)
    if (fields.flags().has_reached(d, point)) bits |= 1U << d;
  return bits;
}

// Computes the sides piece by piece, in the order in which the neighbours are ready.
void compute_pieces(shared_fields& fields, std::uint64_t point, unsigned got) {
  std::vector<bool> done(fields.cuts().pieces.size());
  for (std::size_t left = done.size(); left != 0;) {
    unsigned arrived = 0;
    fields.flags().wait_until(
        [&] { return (arrived = arrived_directions(fields, point) & ~got) != 0 || got == 0xff; });
    get_halos(fields, arrived);
    got |= arrived;
    for (std::size_t i = 0; i < done.size(); ++i) {
      const cut_block::piece& each = fields.cuts().pieces[i];
      if (done[i] || (each.needs & ~got) != 0) continue;
      fields.compute(each.region);
      done[i] = true;
      --left;
    }
  }
}

class get_by_arrival final : public explicit_variant {
 public:
  get_by_arrival(std::string_view name, std::shared_ptr<shared_fields> fields, bool inner_first)
      : explicit_variant(name, std::move(fields)), inner_first_(inner_first) {}

 private:
  void step(shared_fields& fields) override {
    const std::uint64_t point = fields.flags().notify_all();
    const unsigned own = fields.own_directions();
    get_halos(fields, own);
    if (inner_first_) fields.compute(fields.cuts().inner);
    compute_pieces(fields, point, own);
    if (!inner_first_) fields.compute(fields.cuts().inner);
  }

  bool inner_first_;
};

}  // namespace

std::vector<std::unique_ptr<variant>> explicit_variants(
    const std::shared_ptr<shared_fields>& fields) {
  const extent place = fields->given().domain.place_of(fields->given().rank);
  const bool even = (place.x + place.y) % 2 == 0;
  std::vector<std::unique_ptr<variant>> result;
  result.push_back(std::make_unique<trivial>("trivial", fields));
  result.push_back(std::make_unique<put_early>("put", fields));
  result.push_back(std::make_unique<get_all>("get", fields));
  result.push_back(std::make_unique<get_by_arrival>("get0", fields, true));
  result.push_back(std::make_unique<get_by_arrival>("get1", fields, even));
  return result;
}

}  // namespace stencil2d
