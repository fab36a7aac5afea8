// SPDX-License-Identifier: BSD-3-Clause
//
// The state of the front in this process: the runtime that it shares with other fronts, the teams
// of the program, and the memory in which images publish how far they are. It begins with the first
// coarray that is registered, before the main program, and ends with normal termination; the object
// itself is never destroyed, since code that runs at exit may still call the front.
//
// An image is a rank of the job; images count from 1 in the current team.
//
// Threads: one at a time; sections of OpenMP must not call in parallel.
#pragma once

#include <atoll/base/layout_stamp.hpp>
#include <atoll/base/sparse_table.hpp>
#include <atoll/base/threads/doorbell.hpp>
#include <atoll/coll/symmetric_heap.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/segment/segment.hpp>
#include <atoll/core/team/team.hpp>
#include <front/coarray/access/background_writes.hpp>
#include <front/coarray/access/owner_calls.hpp>
#include <front/coarray/failures/team_words.hpp>
#include <front/coarray/memory/component_table.hpp>

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace atl::coarray {

struct coarray;

/// A place in the heaps of an image, by that image's own addresses.
struct remote_place {
  rank_id rank;
  std::byte* address;
};

/// The job ranks of a team, in the order of its images.
struct sibling_team {
  std::int64_t number;
  std::vector<rank_id> members;
};

/// Another member of a team that synchronizes by its words.
struct image_team_member {
  const std::uint32_t* entered;  // of its words
  doorbell* bell;
};

/// A team of the program.
struct image_team {
  std::unique_ptr<atl::team> own;  // null: the initial team, which the runtime has
  atl::team* core = nullptr;
  image_team* parent = nullptr;
  std::int64_t number = -1;            // as FORM TEAM was told; -1: the initial team
  std::vector<sibling_team> siblings;  // all teams that were formed together, this one too
  team_words* words = nullptr;         // of this image
  // Of each member, by its own addresses; empty in the initial team, where all lie at one offset.
  std::vector<std::byte*> words_of;
  std::uint32_t progress = 0;             // as words->entered
  unsigned requests_made = 0;             // by this image, to the heap, at synchronizations of all
  bool is_on_host = false;                // the words of all members are mapped here
  bool syncs_by_words = false;            // else by the core's barrier
  std::vector<image_team_member> others;  // for that; without this image
  std::unique_ptr<atl::team> survivors;   // for ALLOCATE, when the team has lost a member
  std::vector<coarray*> allocated;        // while the team was current, and not deallocated since
};

struct process_state {
  explicit process_state(std::shared_ptr<atl::runtime> running);
  process_state(const process_state&) = delete;
  process_state& operator=(const process_state&) = delete;

  std::shared_ptr<atl::runtime> held;
  atl::runtime& runtime;
  pid_t id;
  coll::symmetric_heap& heap;
  segment& heaps;
  std::byte* heap_base;  // of this image's part of `heaps`
  std::size_t heap_bytes;
  bool all_direct;  // loads and stores reach the heaps of all images
  // The static variables of images where loads and stores reach them; none where no image has any
  // such.
  std::optional<segment> variables;
  segment everything;  // all memory of every image, for targets of pointers
  background_writes writes;
  owner_calls calls;
  std::vector<std::unique_ptr<image_team>> teams;
  image_team* initial = nullptr;
  image_team* current = nullptr;
  // SYNC IMAGES, by job rank: how often others have come to it with this image, how often this
  // image has come to it with them, and how many of the others' posts it has waited for.
  std::uint32_t* sync_posts = nullptr;
  sparse_table<std::uint32_t> sync_posted;
  sparse_table<std::uint32_t> sync_taken;
  component_table components;
  coarray* no_component = nullptr;  // the token of all components without memory
  std::uint64_t random_number = 0;  // the same on all images, another in each run
  std::uint64_t seeds_made = 0;     // by RANDOM_INIT, that are not repeatable
  std::byte* first_bell = nullptr;  // that of the first neighbour
  std::size_t bell_distance = 0;    // from each neighbour's to that of the next
  unsigned calls_unanswered = 0;    // of answer_others()
  unsigned waits_unserved = 0;      // of must_serve_others()
  bool outlives = false;            // the others go on when an image fails
  bool is_aware = false;            // the program has used STAT=, or has asked for failed images
  bool knows_of_stop = false;       // a statement here has found out that an image has stopped
  // The compiler calls SYNC ALL behind an ALLOCATE with STAT=.
  bool next_sync_all_tolerates_losses = false;
  std::size_t failures_reported = 0;    // how many of the failed images a statement has told
  std::int64_t impatient_since_ns = 0;  // when a statement first waited after a failure
  bool has_ended = false;

  static constexpr unsigned waits_unserved_max = 16;

  rank_id image_count() const noexcept { return current->core->size(); }
  int this_image() const noexcept { return static_cast<int>(current->core->rank()) + 1; }

  /// The address of this image's heaps, as `rank` has it in its own.
  std::byte* remote_address(rank_id rank, const std::byte* own_address) const noexcept {
    return heaps.routes()[rank].base() + (own_address - heap_base);
  }
  bool is_in_heaps(const void* address) const noexcept {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(heap_base) <
           heap_bytes;
  }

  /// For calls that a program may repeat until another image has done something: answers messages.
  /// Between images that map each other's heaps, messages ask only for targets of pointers, so
  /// there only some of the calls look for them.
  void answer_others() noexcept {
    if (!all_direct || ++calls_unanswered % 64 == 0) runtime.progress();
  }

  /// For waits that may end without a poll: some of them must call serve_others(), so that a loop
  /// of such waits still answers messages.
  bool must_serve_others() noexcept { return ++waits_unserved >= waits_unserved_max; }
  void serve_others() noexcept {
    waits_unserved = 0;
    runtime.progress();
  }

  /// Wakes an image that may sleep in a wait for a word that was just written to its memory.
  void wake(rank_id rank) noexcept {
    const rank_id neighbour = rank - runtime.neighbourhood_first();
    if (neighbour >= runtime.neighbourhood_count()) return;
    reinterpret_cast<doorbell*>(first_bell + neighbour * bell_distance)->ring();
  }

 private:
  void share_variables();
};

extern process_state* the_process;

/// Makes loads and stores reach the program's static variables; to be called before the start.
void expect_shared_variables() noexcept;

/// The stamp of what the code of libcaf_atoll.a reads, which is part of a program. Raise its count
/// where inline functions here and the library change together and no size does.
inline constexpr std::uint64_t state_layout =
    layout_stamp<process_state, image_team, remote_place>(runtime_layout + 1);

/// The process's state; joins the job when it is the first call. Ends the program where that fails,
/// and where its code was compiled for another layout.
process_state& start(std::uint64_t compiled_for) noexcept;
inline process_state& running() noexcept {
  return the_process != nullptr ? *the_process : start(state_layout);
}

/// Memory of the front in the symmetric heap, filled with zeros; collective.
std::byte* allocate_symmetric(process_state& us, atl::team& members, std::size_t bytes,
                              std::size_t alignment) noexcept;

/// Ends the job with a message that names image, call, cause and remedy.
[[noreturn]] void refuse(const char* call, std::string_view cause,
                         std::string_view remedy) noexcept;

/// The job rank of an image of a team; ends the job where there is none. `call` is the statement.
[[noreturn]] void refuse_image(const char* call, int image, rank_id count) noexcept;
inline rank_id rank_of(const process_state&, const image_team& team, const char* call,
                       int image) noexcept {
  const auto member = static_cast<rank_id>(image - 1);
  if (image < 1 || member >= team.core->size()) [[unlikely]]
    refuse_image(call, image, team.core->size());
  return team.core->job_rank(member);
}
inline rank_id rank_of(const process_state& us, const char* call, int image) noexcept {
  return rank_of(us, *us.current, call, image);
}

}  // namespace atl::coarray
