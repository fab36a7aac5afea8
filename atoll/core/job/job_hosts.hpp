// SPDX-License-Identifier: BSD-3-Clause
//
// How the job lies on hosts, and which ranks map each other's memory (a neighbourhood: all ranks of
// a host, or parts of them where ATOLL_NEIGHBOURHOOD says so). Ranks of a host are consecutive, so
// hosts and neighbourhoods are ranges: "is this rank a neighbour" is one subtraction and one
// comparison, and the other questions cost a word per host instead of one per rank.
//
// Threads: constant after construction.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/slice.hpp>

#include <cstdint>
#include <vector>

namespace atl {

/// Consecutive ranks.
struct rank_range {
  rank_id first = 0;
  rank_id count = 0;

  bool contains(rank_id rank) const noexcept {
    return rank - first < count;
  }  // wraps below the first
};

class job_hosts {
 public:
  /// `host_of_rank` is what bootstrap::hosts() tells: empty when all ranks are on one host. The
  /// ranks of each host are divided into neighbourhoods of `width`, 0: one of all. Throws
  /// `atl::error` when the ranks of a host are not consecutive.
  job_hosts(rank_id ranks, slice<const std::uint32_t> host_of_rank, std::uint64_t width);

  rank_id count() const noexcept { return static_cast<rank_id>(hosts_.size()); }
  rank_id host_of(rank_id rank) const noexcept { return find(hosts_, rank); }
  rank_range ranks_of(rank_id host) const noexcept { return range(hosts_, host); }

  rank_id neighbourhoods() const noexcept { return static_cast<rank_id>(neighbourhoods_.size()); }
  rank_id neighbourhood_of(rank_id rank) const noexcept { return find(neighbourhoods_, rank); }
  rank_range neighbourhood(rank_id number) const noexcept { return range(neighbourhoods_, number); }

 private:
  static rank_id find(const std::vector<rank_id>& firsts, rank_id rank) noexcept;
  rank_range range(const std::vector<rank_id>& firsts, rank_id number) const noexcept;

  rank_id ranks_;
  std::vector<rank_id> hosts_;           // the first rank of each
  std::vector<rank_id> neighbourhoods_;  // the same
};

}  // namespace atl
