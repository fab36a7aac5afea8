// SPDX-License-Identifier: BSD-3-Clause
//
// Sums by puts: each rank puts its number and then the count of the sum into its cell at every
// rank, and each adds up its cells in the order of ranks. There is no barrier: odd and even sums
// alternate between cells, and no rank can be two sums ahead of another, whose number it needs for
// the sum between. A sum takes ranks^2 puts, which suits the few dozen ranks this app is run on.
#pragma once

#include <apps/spin/pgas/shared_area.hpp>
#include <apps/spin/reducer.hpp>

namespace spin {

class cells final : public reducer {
 public:
  cells(atl::runtime& job, shared_area& area);

  /// The bytes that it takes from the shared area.
  static std::size_t bytes(atl::rank_id ranks) noexcept { return 2 * ranks * sizeof(cell); }

  double sum(double value) override;

 private:
  struct alignas(64) cell {
    double number;
    std::uint64_t count;  // of the sum that `number` belongs to, from 1 on
  };

  atl::runtime& job_;
  shared_area& area_;
  cell* cells_;  // [odd or even][rank]
  std::uint64_t count_ = 0;
};

}  // namespace spin
