// SPDX-License-Identifier: BSD-3-Clause
//
// Tiles of the factor as futures. A rank that has finished a tile notifies the ranks that use it.
// There the tile's future becomes ready with an address: that of the tile where its memory is
// mapped, otherwise that of a copy. Collective construction.
#pragma once

#include <apps/cholesky/tiled_matrix.hpp>

#include <memory>

namespace cholesky {

class arrivals {
 public:
  explicit arrivals(const tiled_matrix& matrix) : matrix_(matrix), instances_(this) { reset(); }

  /// For the next run, before a barrier.
  void reset() {
    tiles_.clear();
    tiles_.resize(matrix_.count() * matrix_.count());  // copies of one promise would be one
    copies_.clear();
  }

  upcxx::future<const double*> tile_at(std::size_t i, std::size_t j) {
    return tiles_[i * matrix_.count() + j].get_future();
  }

  /// This rank has finished its tile.
  void publish(std::size_t i, std::size_t j) {
    for (const int rank : matrix_.readers(i, j)) {
      upcxx::rpc_ff(
          rank,
          [](upcxx::dist_object<arrivals*>& instances, std::size_t row, std::size_t column) {
            (*instances)->receive(row, column);
          },
          instances_, i, j);
    }
    fulfill(i, j, matrix_.place(i, j).local());
  }

 private:
  void receive(std::size_t i, std::size_t j) {
    const upcxx::global_ptr<double> remote = matrix_.place(i, j);
    if (remote.is_local()) {
      fulfill(i, j, remote.local());
      return;
    }
    copies_.push_back(std::make_unique<double[]>(matrix_.tile_elements()));
    double* const copy = copies_.back().get();
    upcxx::rget(remote, copy, matrix_.tile_elements()).then([this, i, j, copy] {
      fulfill(i, j, copy);
    });
  }

  void fulfill(std::size_t i, std::size_t j, const double* values) {
    tiles_[i * matrix_.count() + j].fulfill_result(values);
  }

  const tiled_matrix& matrix_;
  std::vector<upcxx::promise<const double*>> tiles_;
  std::vector<std::unique_ptr<double[]>> copies_;
  upcxx::dist_object<arrivals*> instances_;  // on all ranks, for calls
};

}  // namespace cholesky
