// SPDX-License-Identifier: BSD-3-Clause
//
// Making teams, and ending them. Where a team is made out of another, all members of the parent
// call together; each says what it wants, one gathering tells all of them, and every rank then
// works out its own new team: no rank ever holds more than the parent's answers. A team can also be
// made by its members alone. The new team's number is proposed by its first member; the block of
// shared memory on each host comes from that host's leader.
//
// Threads: as collectives, by one thread at a time per parent. Errors: a list that does not hold
// the caller throws `atl::error`.
#pragma once

#include <atoll/core/team/team.hpp>

#include <memory>
#include <optional>

namespace atl::coll {

/// One team per colour, members ordered by key and then by their number in the parent. A caller
/// without a colour takes part and gets none (null).
std::unique_ptr<team> split_team(team& parent, std::optional<int> color, int key);

/// A team of the same members, whose collectives do not mix with those of the parent.
std::unique_ptr<team> copy_team(team& parent);

/// The team of these job ranks, which all are members of the parent and all give the same set; a
/// caller with an empty set takes part and gets none. Several disjoint teams may be made at once.
std::unique_ptr<team> create_team(team& parent, rank_set members);

/// The team of these job ranks, made by them alone: the other ranks of the job do not call. All
/// members give the same ranks in the same order, and make the teams of the same ranks in the same
/// order. The job must have opened the collectives before (coll::open). Throws `atl::error` when
/// the caller is not among the ranks or a rank is named twice.
std::unique_ptr<team> create_team_alone(runtime& owner, const rank_set& members);

/// Ends a team. All its members that are left call; all its collectives are complete. Where a
/// member is lost, the memory that the members shared may stay taken.
void destroy_team(std::unique_ptr<team> gone);

}  // namespace atl::coll
