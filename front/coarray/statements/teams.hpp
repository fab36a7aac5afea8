// SPDX-License-Identifier: BSD-3-Clause
//
// FORM TEAM, CHANGE TEAM, END TEAM and the queries of teams. A team variable of the program holds
// the address of an image_team. END TEAM deallocates coarrays that were allocated in the team.
#pragma once

#include <front/coarray/process_state.hpp>
#include <front/coarray/status.hpp>

#include <cstdint>
#include <vector>

namespace atl::coarray {

/// Collective over the current team. `new_index` 0: in the order of the current numbers.
image_team* form_team(std::int64_t number, int new_index, const status_variables& status) noexcept;

/// Makes the team current; a barrier of its members.
void change_team(image_team* team, const status_variables& status) noexcept;
void end_team(const status_variables& status) noexcept;

/// The number that FORM TEAM was given; -1: the initial team. Null: the current team.
std::int64_t team_number(const image_team* team) noexcept;

/// The current team.
image_team* get_team() noexcept;

/// The job ranks of a team's images, in their order.
std::vector<rank_id> members_of(const image_team& team);

/// The job ranks of the images of a team that was formed together with the current one; empty
/// where there is no such team. Number -1 is the initial team.
std::vector<rank_id> members_of_sibling(std::int64_t number);

/// The index of this image in the current team, or `distance` teams up from it.
int this_image(int distance) noexcept;
int num_images(int distance) noexcept;
/// The same for a team that this image is in.
int this_image(const image_team& team) noexcept;
int num_images(const image_team& team) noexcept;
/// The same for a team that was formed together with the current one, by its number.
int num_images_of_sibling(std::int64_t number) noexcept;
/// The number of these images that are known to have failed.
int count_failed(int distance) noexcept;

}  // namespace atl::coarray
