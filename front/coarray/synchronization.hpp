// SPDX-License-Identifier: BSD-3-Clause
//
// Image control: SYNC ALL, SYNC IMAGES, SYNC MEMORY, SYNC TEAM. An image that waits for one that
// has stopped is told so instead (STAT_STOPPED_IMAGE). Where one has failed the others synchronize
// all the same, and are told afterwards (STAT_FAILED_IMAGE).
//
// Before it waits for a team, an image stores in its words how many statements of the team it has
// come to. Where all of a team see each other's words, SYNC ALL is no more than that, and a look at
// those of the others; else a barrier of the core follows. An image that has stopped keeps its
// memory, so others read there whether it has come to this statement before it stopped: then the
// statement completes, and otherwise it never does.
#pragma once

#include <atoll/core/progress/event.hpp>
#include <front/coarray/process_state.hpp>
#include <front/coarray/status.hpp>

namespace atl::coarray {

/// Lets the members of a new team synchronize by their words where they can. All members call it.
void open_team_words(process_state& us, image_team& team);

/// Counts a statement at which all members of the team synchronize. False, with the error told to
/// `told`: a member has stopped and never comes.
bool enter(process_state& us, image_team& team, const char* call,
           const status_variables& told) noexcept;

/// The members that took part in a synchronization. Where one has missed it the error is told
/// already.
enum class sync_result : unsigned char { of_all, of_survivors, missed };

/// Waits until `done` is complete. `missed`: a member has stopped and never comes; then `done` is
/// never complete. `of_survivors`: a member has failed, and the result means nothing.
sync_result wait_for_members(process_state& us, image_team& team, event& done, const char* call,
                             const status_variables& told) noexcept;

/// A barrier of the team, and all memory accesses before it come before those after it. Where a
/// member has failed the others synchronize; without STAT= that ends the job.
sync_result sync_members(process_state& us, image_team& team, const char* call,
                         const status_variables& told) noexcept;

/// The end of an action of all members: `of_all` where all have done their parts, and for them only
/// where all know that. Else the survivors are to agree (agreement.hpp), at this count.
sync_result complete_together(process_state& us, image_team& team, bool is_done, const char* call,
                              const status_variables& told) noexcept;

/// All members have come to the present statement, and have done their parts: images that wait for
/// one that has failed since go on as well.
void count_completed(image_team& team) noexcept;

void tell_stopped(const status_variables& told, const char* call, int image) noexcept;

/// Tells how a statement of the team ends, behind its action.
void conclude(process_state& us, const image_team& team, const char* call, sync_result synced,
              const status_variables& told) noexcept;

void sync_all() noexcept;  // without STAT=
void sync_all(const status_variables& told) noexcept;
void sync_team(image_team* team, const status_variables& told) noexcept;
void sync_memory(const status_variables& told) noexcept;

/// With `count` images, or with all of the current team where it is -1.
void sync_images(int count, const int* images, const status_variables& told) noexcept;

}  // namespace atl::coarray
