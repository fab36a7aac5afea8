// SPDX-License-Identifier: BSD-3-Clause
//
// Making teams out of a team, and ending them. All members of the parent call together; each says
// what it wants, one gathering tells everybody, and every rank then works out its own new team: no
// rank ever holds more than the parent's answers. The new team's number is proposed by its first
// member; the block of shared memory on each host comes from that host's leader.
//
// Threads: as collectives, by one thread at a time per parent. Errors: a list that does not hold
// the caller throws `atl::error`.
#pragma once

#include <atoll/core/team.hpp>

#include <memory>
#include <optional>

namespace atl::coll {

/// One team per colour, members ordered by key and then by their number in the parent. A caller
/// without a colour takes part and gets none (null).
std::unique_ptr<team> split_team(team& parent, std::optional<int> color, int key);

/// The team of these job ranks, which all are members of the parent and all give the same set; a
/// caller with an empty set takes part and gets none. Several disjoint teams may be made at once.
std::unique_ptr<team> create_team(team& parent, rank_set members);

/// Ends a team. All its members call; all its collectives are complete.
void destroy_team(std::unique_ptr<team> gone);

}  // namespace atl::coll
