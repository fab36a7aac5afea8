// SPDX-License-Identifier: BSD-3-Clause
//
// A vector over all ranks, read by one index: element i is on rank i >> local_bits, whose part
// lies in its shared memory at the same place as everybody's. A read looks up where that part is
// mapped here and loads; where it is not mapped, it is a get. A global pointer has looked that up
// already, so a loop over its elements makes one test in all.
//
// Nothing synchronises here: a reader must know that the elements have been written.
#pragma once

#include <apps/spin/chain.hpp>
#include <apps/spin/local_operator.hpp>
#include <apps/spin/pgas/shared_area.hpp>
#include <atoll/core/rma/rma.hpp>

#include <cstddef>
#include <vector>

namespace spin {

/// Points to elements of one rank.
class global_pointer {
 public:
  /// `remote`: the owner's address of the elements; `local`: their address here, or null.
  global_pointer(atl::endpoint& endpoint, atl::rank_id owner, const double* remote,
                 const double* local)
      : endpoint_(endpoint), owner_(owner), remote_(remote), local_(local) {}

  double operator[](std::size_t i) const noexcept {
    if (local_ != nullptr) [[likely]]
      return local_[i];
    return atl::get_value(endpoint_, owner_, remote_ + i);
  }

 private:
  atl::endpoint& endpoint_;
  atl::rank_id owner_;
  const double* remote_;
  const double* local_;
};

/// The address here of a rank's memory; null when it is not mapped, or not to be used so.
inline const double* mapped(atl::endpoint& endpoint, atl::rank_id owner, const double* remote,
                            std::size_t count) noexcept {
  return reinterpret_cast<const double*>(
      endpoint.bound().routes()[owner].direct(remote, count * sizeof(double)));
}

class global_vector {
 public:
  /// `part`: this rank's 2^local_bits elements, in its shared area.
  global_vector(atl::runtime& job, const shared_area& area, const double* part, unsigned local_bits)
      : job_(job), area_(area), part_(part), local_bits_(local_bits) {
    for (atl::rank_id rank = 0; rank < job.size(); ++rank) {
      const std::size_t count = std::size_t{1} << local_bits;
      mapped_.push_back(mapped(job.primordial(), rank, area.peer_address(rank, part), count));
    }
  }

  /// Element i and those after it, to the end of its rank's part.
  global_pointer from(state_id i) const noexcept {
    const auto owner = static_cast<atl::rank_id>(i >> local_bits_);
    const std::size_t place = i & ((state_id{1} << local_bits_) - 1);
    const double* const local = mapped_[owner] != nullptr ? mapped_[owner] + place : nullptr;
    return {job_.primordial(), owner, area_.peer_address(owner, part_) + place, local};
  }
  double operator[](state_id i) const noexcept {
    const auto owner = static_cast<atl::rank_id>(i >> local_bits_);
    const std::size_t place = i & ((state_id{1} << local_bits_) - 1);
    if (mapped_[owner] != nullptr) [[likely]]
      return mapped_[owner][place];
    return atl::get_value(job_.primordial(), owner, area_.peer_address(owner, part_) + place);
  }

 private:
  atl::runtime& job_;
  const shared_area& area_;
  const double* part_;
  unsigned local_bits_;
  std::vector<const double*> mapped_;
};

}  // namespace spin
