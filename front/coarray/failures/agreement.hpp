// SPDX-License-Identifier: BSD-3-Clause
//
// Agreement of a team's members during which some may fail: all that are left get the same list of
// members, with the offer of each. FORM TEAM and ALLOCATE need that, because images that see
// different sets of survivors would number images or place coarrays differently.
//
// Every member offers, and then votes for the list of the members whose offers it has. A list is
// decided when all on it have voted for it; else there is another vote, without the members that
// have failed meanwhile. A member that has decided publishes its decision, and others adopt it:
// they have voted for that list themselves.
#pragma once

#include <front/coarray/failures/team_words.hpp>
#include <front/coarray/process_state.hpp>
#include <front/coarray/status.hpp>

#include <cstdint>
#include <vector>

namespace atl::coarray {

struct agreed_member {
  rank_id member;  // of the team
  offer offered;
};
using agreed_list = std::vector<agreed_member>;

/// `complete`: some member knows that all did their parts before one failed, so there is nothing to
/// agree on. `missed`: a member has stopped and never comes; the error is told.
enum class agreement : unsigned char { reached, complete, missed };

/// Called by all members that have not failed, each at the same count of statements.
agreement agree(process_state& us, image_team& team, const offer& own, const char* call,
                const status_variables& status, agreed_list& members);

}  // namespace atl::coarray
