// SPDX-License-Identifier: BSD-3-Clause
//
// A vector over all ranks, read by one index: element i is on rank i >> local_bits, whose part lies
// in its shared memory at the same place as everybody's. To read is to look up where that part is
// mapped here, and a load; where it is not, a get. A global pointer has looked it up, so a loop
// over its elements makes one test in all.
//
// Nothing synchronises here: a reader must know that the elements have been written.
#pragma once

#include <apps/spin/chain.hpp>
#include <apps/spin/local_operator.hpp>
#include <apps/spin/pgas/shared_area.hpp>
#include <atoll/core/rma.hpp>

#include <cstddef>
#include <vector>

namespace spin {

/// Points to elements of one rank.
class global_pointer {
 public:
  /// `there`: as the owner sees it; `here`: as it is mapped here, or null.
  global_pointer(atl::endpoint& at, atl::rank_id owner, const double* there, const double* here)
      : at_(at), owner_(owner), there_(there), here_(here) {}

  double operator[](std::size_t i) const noexcept {
    if (here_ != nullptr) [[likely]]
      return here_[i];
    return atl::get_value(at_, owner_, there_ + i);
  }

 private:
  atl::endpoint& at_;
  atl::rank_id owner_;
  const double* there_;
  const double* here_;
};

/// Where memory of a rank is in this process; null when it is not mapped, or not to be used so.
inline const double* mapped(atl::endpoint& at, atl::rank_id owner, const double* there,
                            std::size_t count) noexcept {
  return reinterpret_cast<const double*>(
      at.bound().routes()[owner].direct(there, count * sizeof(double)));
}

class global_vector {
 public:
  /// `part`: this rank's 2^local_bits elements, in its shared area.
  global_vector(atl::runtime& job, const shared_area& area, const double* part, unsigned local_bits)
      : job_(job), area_(area), part_(part), local_bits_(local_bits) {
    for (atl::rank_id rank = 0; rank < job.size(); ++rank) {
      const std::size_t count = std::size_t{1} << local_bits;
      here_.push_back(mapped(job.primordial(), rank, area.at(rank, part), count));
    }
  }

  /// Element i and those after it, to the end of its rank's part.
  global_pointer from(state_id i) const noexcept {
    const auto owner = static_cast<atl::rank_id>(i >> local_bits_);
    const std::size_t place = i & ((state_id{1} << local_bits_) - 1);
    const double* const here = here_[owner] != nullptr ? here_[owner] + place : nullptr;
    return {job_.primordial(), owner, area_.at(owner, part_) + place, here};
  }
  double operator[](state_id i) const noexcept {
    const auto owner = static_cast<atl::rank_id>(i >> local_bits_);
    const std::size_t place = i & ((state_id{1} << local_bits_) - 1);
    if (here_[owner] != nullptr) [[likely]]
      return here_[owner][place];
    return atl::get_value(job_.primordial(), owner, area_.at(owner, part_) + place);
  }

 private:
  atl::runtime& job_;
  const shared_area& area_;
  const double* part_;
  unsigned local_bits_;
  std::vector<const double*> here_;
};

}  // namespace spin
