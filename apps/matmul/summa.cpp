// SPDX-License-Identifier: BSD-3-Clause
//
// The variants on Atoll. Variants with the same grid share its blocks. The 2.5-dimensional one has
// layers: each is a grid with whole factors and multiplies its part of the inner dimension; the
// products of the layers are then added into the first.
#include <apps/matmul/panel_source.hpp>
#include <apps/matmul/summa.hpp>
#include <apps/trial/blas.hpp>
#include <atoll/coll/collectives.hpp>

#include <thread>

namespace matmul {
namespace {

/// A variant's source of panels, and how wide they are.
struct panel_supply {
  std::string name;
  std::size_t width;
  std::unique_ptr<panel_source> source;
};

class summa final : public trial::variant {
 public:
  summa(const problem& problem, std::shared_ptr<blocks> local, panel_supply supply,
        trial::journal& times)
      : problem_(problem),
        local_(std::move(local)),
        name_(std::move(supply.name)),
        panels_(panels_of(problem.n(), local_->ranks, {0, problem.n()}, supply.width)),
        source_(std::move(supply.source)),
        times_(times) {}

  std::string_view name() const override { return name_; }
  void prepare() override { local_->clear_product(); }
  void run() override { multiply(*local_, panels_, *source_, times_); }
  double error() override { return problem_.error(local_->rows, local_->columns, local_->c); }

 private:
  const problem& problem_;
  std::shared_ptr<blocks> local_;
  std::string name_;
  std::vector<panel> panels_;
  std::unique_ptr<panel_source> source_;
  trial::journal& times_;
};

class layered final : public trial::variant {
 public:
  layered(atl::team& world, const problem& problem, std::size_t width, trial::journal& times)
      : problem_(problem),
        layers_(layers_of(world.size())),
        size_(world.size() / layers_),
        layer_(world.rank() / size_),
        layer_team_(trial::split(world, layer_, world.rank())),
        stack_(trial::split(world, world.rank() % size_, layer_)),
        local_(*layer_team_, problem, trial::square_grid(size_)),
        panels_(panels_of(problem.n(), local_.ranks, trial::part_of(problem.n(), layers_, layer_),
                          width)),
        source_(make_broadcasts(local_, problem.n(), width, false)),
        times_(times) {}

  std::string_view name() const override { return layers_name; }

  // Only the first layer has the factors at the beginning.
  void prepare() override {
    local_.clear_product();
    if (layer_ == 0) return;
    std::fill_n(local_.a, elements(), 0.0);
    std::fill_n(local_.b, elements(), 0.0);
  }

  void run() override {
    const std::size_t bytes = elements() * sizeof(double);
    times_.record(moving, {}, [&] {
      atl::coll::broadcast(*stack_, 0, local_.a, local_.a, bytes);
      atl::coll::broadcast(*stack_, 0, local_.b, local_.b, bytes);
    });
    multiply(local_, panels_, *source_, times_);
    times_.record(moving, {}, [&] {
      const auto sum = atl::coll::built_in(atl::coll::reduce_operation::add, atl::data_type::f64);
      atl::coll::reduce(*stack_, 0, local_.c, local_.c, elements(), sum);
    });
  }

  double error() override {
    const range own = layer_ == 0 ? local_.rows : range{};
    return problem_.error(own, local_.columns, local_.c);
  }

 private:
  std::size_t elements() const { return local_.rows.count * local_.columns.count; }

  const problem& problem_;
  unsigned layers_;
  unsigned size_;  // ranks of a layer
  unsigned layer_;
  trial::own_team layer_team_;
  trial::own_team stack_;  // ranks of all layers at one place of the grid
  blocks local_;
  std::vector<panel> panels_;
  std::unique_ptr<panel_source> source_;
  trial::journal& times_;
};

// Rank 0 with a thread for each core of the job, while all others sleep.
class library_alone final : public trial::variant {
 public:
  library_alone(atl::team& world, const problem& problem)
      : problem_(problem), works_(world.rank() == 0), threads_(cores_for(world.size())) {
    if (!works_) return;
    const range inner{0, problem.n()};
    for (std::vector<double>* each : {&a_, &b_, &c_}) each->resize(problem.n() * problem.n());
    problem.fill(factor::a, inner, inner, a_.data());
    problem.fill(factor::b, inner, inner, b_.data());
  }

  std::string_view name() const override { return library_name; }
  void prepare() override { std::fill(c_.begin(), c_.end(), 0.0); }
  void run() override {
    if (!works_) return;
    const std::size_t n = problem_.n();
    trial::use_blas_threads(threads_);
    add_product({n, n, n}, {a_.data(), n}, {b_.data(), n}, {c_.data(), n});
    trial::use_blas_threads(1);
  }
  double error() override {
    const range inner{0, works_ ? problem_.n() : 0};
    return problem_.error(inner, inner, c_.data());
  }

 private:
  static unsigned cores_for(unsigned ranks) {
    return std::min(ranks, std::max(1U, std::thread::hardware_concurrency()));
  }

  const problem& problem_;
  bool works_;
  unsigned threads_;
  std::vector<double> a_, b_, c_;
};

// Whether this rank can read all others' blocks where they lie.
bool all_mapped(const blocks& local) {
  const atl::rank_id size = local.memory.team().size();
  for (atl::rank_id peer = 0; peer < size; ++peer)
    if (local.memory.local_address(peer, local.memory.peer_address(peer, local.a)) == nullptr)
      return false;
  return true;
}

}  // namespace

std::vector<std::string> job_variants() {
  return {"broadcasts", "broadcasts_ahead", "gets_ahead", "in_place", layers_name};
}

std::vector<std::string> job_measures() { return {library_name}; }

void multiply(blocks& local, const std::vector<panel>& panels, panel_source& source,
              trial::journal& times) {
  const rows_of<double> c{local.c, local.columns.count};
  const bool ahead = source.looks_ahead();
  if (ahead && !panels.empty())
    times.record(moving, {.row = 0}, [&] { source.start(panels[0], 0); });
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const trial::part_name number{.row = static_cast<std::uint32_t>(i)};
    operands now;
    times.record(moving, number, [&] {
      if (!ahead) source.start(panels[i], i % 2);
      if (ahead && i + 1 < panels.size()) source.start(panels[i + 1], (i + 1) % 2);
      now = source.wait(i % 2);
    });
    const product_shape shape{local.rows.count, local.columns.count, panels[i].inner.count};
    times.record(multiplying, number, [&] { add_product(shape, now.a, now.b, c); });
  }
}

trial::variant_list make_job_variants(atl::team& world, const problem& problem, std::size_t width,
                                      trial::journal& times,
                                      const std::vector<std::string>& names) {
  trial::use_blas_threads(1);
  const std::size_t n = problem.n();
  std::shared_ptr<blocks> shared;
  trial::variant_list made;
  for (const std::string& name : names) {
    if (name == layers_name) {
      made.push_back(std::make_unique<layered>(world, problem, width, times));
      continue;
    }
    if (name == library_name) {
      made.push_back(std::make_unique<library_alone>(world, problem));
      continue;
    }
    if (!shared)
      shared = std::make_shared<blocks>(world, problem, trial::square_grid(world.size()));
    // Panels that are not copied need no limit.
    const bool in_place = name == "in_place";
    const std::size_t own_width = in_place && all_mapped(*shared) ? n : width;
    auto source = in_place || name == "gets_ahead"
                      ? make_gets(*shared, n, width, in_place)
                      : make_broadcasts(*shared, n, width, name == "broadcasts");
    panel_supply supply{.name = name, .width = own_width, .source = std::move(source)};
    made.push_back(std::make_unique<summa>(problem, shared, std::move(supply), times));
  }
  world.barrier();  // from here on peers read the memory
  return made;
}

}  // namespace matmul
