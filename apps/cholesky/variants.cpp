// SPDX-License-Identifier: BSD-3-Clause
//
// The variants. A tile (i, j) is updated by the tiles (i, k) and (j, k) left of it, then factored
// when it is on the diagonal and solved otherwise; then the ranks that use it are notified.
// Coroutines and futures express this for each tile, and the order follows from the arrivals; with
// steps all ranks go through the columns together.
#include <apps/cholesky/arrivals.hpp>
#include <apps/cholesky/ready_queue.hpp>
#include <apps/cholesky/variants.hpp>
#include <apps/trial/blas.hpp>

#include <algorithm>

namespace cholesky {
namespace {

trial::part_name name_of(std::size_t i, std::size_t j) {
  return {.row = static_cast<std::uint32_t>(i), .column = static_cast<std::uint32_t>(j)};
}

/// Tiles of this rank, and the work on them, recorded.
class tile_kernels {
 public:
  tile_kernels(const problem& problem, std::size_t tile_size, trial::journal& times)
      : matrix(problem, tile_size), times_(times) {}

  void update(std::size_t i, std::size_t j, std::size_t k, const double* left,
              const double* above) {
    times_.record(updating, name_of(i, j), [&] {
      const tile<const double> a = matrix.view(i, k, left);
      if (i == j) {
        update_diagonal(matrix.own(i, j), a);
      } else {
        cholesky::update(matrix.own(i, j), a, matrix.view(j, k, above));
      }
    });
  }
  void factor(std::size_t j) {
    times_.record(factoring, name_of(j, j), [&] { cholesky::factor(matrix.own(j, j)); });
  }
  void solve(std::size_t i, std::size_t j, const double* diagonal) {
    times_.record(solving, name_of(i, j),
                  [&] { cholesky::solve(matrix.own(i, j), matrix.view(j, j, diagonal)); });
  }

  template <class Visit>
  void for_own_tiles(Visit visit) const {
    for (std::size_t j = 0; j < matrix.count(); ++j)
      for (std::size_t i = j; i < matrix.count(); ++i)
        if (matrix.owns(i, j)) visit(i, j);
  }

  tiled_matrix matrix;

 private:
  trial::journal& times_;
};

class factorization : public trial::variant {
 public:
  explicit factorization(std::shared_ptr<tile_kernels> kernels)
      : kernels_(std::move(kernels)), tiles_(kernels_->matrix) {}
  void prepare() override {
    kernels_->matrix.fill();
    tiles_.reset();
    upcxx::barrier();  // from here on others publish tiles
  }
  double error() override { return kernels_->matrix.error(); }

 protected:
  std::shared_ptr<tile_kernels> kernels_;
  arrivals tiles_;
};

class by_coroutines final : public factorization {
 public:
  using factorization::factorization;
  std::string_view name() const override { return "coroutines"; }

  void run() override {
    std::size_t left = 0;
    kernels_->for_own_tiles([&](std::size_t i, std::size_t j) {
      ++left;
      compute_tile(i, j).then([&left] { --left; });
    });
    queue_.run_until([&] { return left == 0; });
  }

 private:
  upcxx::future<> compute_tile(std::size_t i, std::size_t j) {
    for (std::size_t k = 0; k < j; ++k) {
      const double* const left = co_await tiles_.tile_at(i, k);
      const double* const above = co_await tiles_.tile_at(j, k);
      co_await queue_.turn(j);
      kernels_->update(i, j, k, left, above);
    }
    if (i == j) {
      co_await queue_.turn(j);
      kernels_->factor(j);
    } else {
      const double* const diagonal = co_await tiles_.tile_at(j, j);
      co_await queue_.turn(j);
      kernels_->solve(i, j, diagonal);
    }
    tiles_.publish(i, j);
  }

  ready_queue queue_;
};

class by_futures final : public factorization {
 public:
  using factorization::factorization;
  std::string_view name() const override { return "futures"; }

  void run() override {
    left_ = 0;
    kernels_->for_own_tiles([&](std::size_t i, std::size_t j) {
      ++left_;
      start(i, j);
    });
    queue_.run_until([&] { return left_ == 0; });
  }

 private:
  // Updates come in any order.
  void start(std::size_t i, std::size_t j) {
    upcxx::promise<> updated;
    for (std::size_t k = 0; k < j; ++k) {
      updated.require_anonymous(1);
      upcxx::when_all(tiles_.tile_at(i, k), tiles_.tile_at(j, k))
          .then([=, this](const double* left, const double* above) {
            queue_.push(j, [=, this]() mutable {
              kernels_->update(i, j, k, left, above);
              updated.fulfill_anonymous(1);
            });
          });
    }
    if (i == j) {
      updated.finalize().then([=, this] {
        queue_.push(j, [=, this] {
          kernels_->factor(j);
          finish(i, j);
        });
      });
    } else {
      upcxx::when_all(updated.finalize(), tiles_.tile_at(j, j))
          .then([=, this](const double* diagonal) {
            queue_.push(j, [=, this] {
              kernels_->solve(i, j, diagonal);
              finish(i, j);
            });
          });
    }
  }

  void finish(std::size_t i, std::size_t j) {
    --left_;
    tiles_.publish(i, j);
  }

  ready_queue queue_;
  std::size_t left_ = 0;
};

class by_steps final : public factorization {
 public:
  using factorization::factorization;
  std::string_view name() const override { return "steps"; }

  void run() override {
    const tiled_matrix& matrix = kernels_->matrix;
    for (std::size_t k = 0; k < matrix.count(); ++k) {
      if (matrix.owns(k, k)) {
        kernels_->factor(k);
        tiles_.publish(k, k);
      }
      upcxx::barrier();
      for (std::size_t i = k + 1; i < matrix.count(); ++i) {
        if (!matrix.owns(i, k)) continue;
        kernels_->solve(i, k, tiles_.tile_at(k, k).wait());
        tiles_.publish(i, k);
      }
      upcxx::barrier();
      for (std::size_t j = k + 1; j < matrix.count(); ++j)
        for (std::size_t i = j; i < matrix.count(); ++i)
          if (matrix.owns(i, j))
            kernels_->update(i, j, k, tiles_.tile_at(i, k).wait(), tiles_.tile_at(j, k).wait());
    }
  }
};

}  // namespace

std::vector<std::string> upcxx_variants() { return {"coroutines", "futures", "steps"}; }

trial::variant_list make_upcxx_variants(const problem& problem, std::size_t tile_size,
                                        trial::journal& times,
                                        const std::vector<std::string>& names) {
  trial::use_blas_threads(1);
  const auto kernels = std::make_shared<tile_kernels>(problem, tile_size, times);
  trial::variant_list made;
  for (const std::string& name : names) {
    if (name == "coroutines") made.push_back(std::make_unique<by_coroutines>(kernels));
    if (name == "futures") made.push_back(std::make_unique<by_futures>(kernels));
    if (name == "steps") made.push_back(std::make_unique<by_steps>(kernels));
  }
  upcxx::barrier();
  return made;
}

}  // namespace cholesky
