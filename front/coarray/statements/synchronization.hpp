// SPDX-License-Identifier: BSD-3-Clause
//
// Image control: SYNC ALL, SYNC IMAGES, SYNC MEMORY, SYNC TEAM. An image that waits for one that
// has stopped gets STAT_STOPPED_IMAGE instead. If one has failed the others synchronize all the
// same, and then get STAT_FAILED_IMAGE.
//
// Before it waits for a team, an image stores in its words how many statements of the team it has
// come to. Where all of a team see each other's words, SYNC ALL is that store and a poll of the
// words of the others; else a barrier of the core follows. An image that has stopped keeps its
// memory, so others read there whether it had come to this statement before it stopped: if so the
// statement completes, and otherwise it never does.
#pragma once

#include <atoll/core/progress/event.hpp>
#include <front/coarray/process_state.hpp>
#include <front/coarray/status.hpp>

namespace atl::coarray {

/// Lets the members of a new team synchronize by their words where they can. All members call it.
void open_team_words(process_state& us, image_team& team);

/// Counts a statement at which all members of the team synchronize. False, with the error told to
/// `status`: a member has stopped and never comes.
bool enter(process_state& us, image_team& team, const char* call,
           const status_variables& status) noexcept;

/// The members that took part in a synchronization. If one has missed it, the error has been told.
enum class sync_result : unsigned char { of_all, of_survivors, missed };

/// Waits until `done` is complete. `missed`: a member has stopped and never comes; then `done`
/// never completes. `of_survivors`: a member has failed, and the result has no meaning.
sync_result wait_for_members(process_state& us, image_team& team, event& done, const char* call,
                             const status_variables& status) noexcept;

/// A barrier of the team that orders all memory accesses before it before those after it. If a
/// member has failed the others synchronize; without STAT= that ends the job.
sync_result sync_members(process_state& us, image_team& team, const char* call,
                         const status_variables& status) noexcept;

/// The end of an action of all members. `of_all` where all have done their parts, and for members
/// that have done them only where all know that. Else the survivors must agree (agreement.hpp) at
/// this count.
sync_result complete_together(process_state& us, image_team& team, bool is_done, const char* call,
                              const status_variables& status) noexcept;

/// Publishes that all members have come to the present statement and have done their parts, so that
/// images which wait for one that has failed since go on as well.
void count_completed(image_team& team) noexcept;

void tell_stopped(const status_variables& status, const char* call, int image) noexcept;

/// Tells the outcome of a statement of the team, after its action.
void conclude(process_state& us, const image_team& team, const char* call, sync_result synced,
              const status_variables& status) noexcept;

void sync_all() noexcept;  // without STAT=
void sync_all(const status_variables& status) noexcept;
void sync_team(image_team* team, const status_variables& status) noexcept;
void sync_memory(const status_variables& status) noexcept;

/// With `count` images, or with all of the current team where it is -1.
void sync_images(int count, const int* images, const status_variables& status) noexcept;

}  // namespace atl::coarray
