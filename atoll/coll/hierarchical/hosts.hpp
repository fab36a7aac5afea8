// SPDX-License-Identifier: BSD-3-Clause
//
// Shared parts of the hierarchical algorithms: where each member is, and how a phase runs with the
// algorithm that is best for its part of the team. Data of several hosts travel between leaders in
// slots of equal size, one per host, in which members stand in the order of the team.
#pragma once

#include <atoll/coll/engine/call.hpp>

#include <span>
#include <vector>

namespace atl::coll {

/// Where the members of a team are; kept with the team's state.
struct host_map {
  std::vector<std::size_t> place;  // by member: which block of the slots is its own
  rank_id most = 0;                // members of the largest host
  rank_id least = 0;               // and of the smallest
  std::vector<rank_id> leaders;    // the first members of each host, as many as may lead
  rank_id leaders_per_host = 0;    // 0: the smallest host has one member, and there is no list

  /// Copy between the blocks of the members, in their order, and the slots of their hosts.
  void to_slots(std::byte* slots, const std::byte* blocks, std::size_t bytes) const;
  void from_slots(std::byte* blocks, const std::byte* slots, std::size_t bytes) const;
};

/// The map of the call's team, made when it is first asked for.
const host_map& hosts_of(const call& call);

/// The recommended algorithm for a part of a call; `part` lives until the task has ended.
task run_part(call& part);

}  // namespace atl::coll
