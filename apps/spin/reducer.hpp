// SPDX-License-Identifier: BSD-3-Clause
//
// The sum of one number over all ranks, the same bits on every rank: each puts its number and then
// the count of the sum into a cell of its own at every rank, and each adds up its cells in the
// order of ranks. No barrier: cells are used in turn by odd and even sums, and nobody can be two
// sums ahead of a rank whose number it needs for the sum between.
//
// Collective; one thread per rank. Written with puts of ranks^2 cells, for the few dozen ranks this
// app is run on.
#pragma once

#include <apps/spin/shared_area.hpp>

#include <cstdint>

namespace spin {

class reducer {
 public:
  reducer(atl::runtime& job, shared_area& area);
  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;

  /// What it takes from the shared area.
  static std::size_t bytes_needed(atl::rank_id ranks) noexcept { return 2 * ranks * sizeof(cell); }

  /// The sum of `mine` of all ranks.
  double sum(double mine);

  std::int64_t waited_ns() const noexcept { return waited_ns_; }

 private:
  struct alignas(64) cell {
    double number;
    std::uint64_t count;  // of the sum that `number` belongs to, from 1 on
  };

  atl::runtime& job_;
  shared_area& area_;
  cell* cells_;  // [odd or even][rank]
  std::uint64_t count_ = 0;
  std::int64_t waited_ns_ = 0;
};

}  // namespace spin
