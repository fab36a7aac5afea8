// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers of teams, and counters between pairs of images for SYNC IMAGES: an image adds one at
// each partner, and takes one of those that the partner has added here.
//
// An image that has failed ends the barriers of its teams, for some images before they have seen a
// barrier complete that others have. So the survivors then meet by their counts of statements.
#include <front/coarray/synchronization.hpp>

#include <atoll/base/copy.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/rma/rma.hpp>
#include <front/coarray/failed_images.hpp>

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

namespace atl::coarray {
namespace {

void count_here(team_state& team) noexcept {
  // Release: pairs with the load of an image that sees this one stopped or failed.
  __atomic_store_n(&team.words->entered, ++team.progress, __ATOMIC_RELEASE);
}

// The last word of an image that has failed counts, where it can be read.
bool has_reached(process& us, const team_state& team, rank_id member,
                 std::uint32_t team_words::* word) noexcept {
  std::uint32_t seen = 0;
  return load_word(us, team, member, word, seen) && is_reached(seen, team.progress);
}

bool has_come(process& us, const team_state& team, rank_id member) noexcept {
  return has_reached(us, team, member, &team_words::entered);
}

/// The image of the team that has stopped and has not come to its present statement; 0: none.
int find_missing(process& us, const team_state& team) noexcept {
  if (!us.runtime.boot().any_has_stopped()) [[likely]]
    return 0;
  us.knows_of_stop = true;
  for (rank_id member = 0; member < team.core->size(); ++member) {
    const rank_id rank = team.core->job_rank(member);
    if (us.runtime.stopped(rank) && !has_come(us, team, member))
      return static_cast<int>(member) + 1;
  }
  return 0;
}

bool is_complete_for_another(process& us, const team_state& team) noexcept {
  for (rank_id member = 0; member < team.core->size(); ++member) {
    if (has_reached(us, team, member, &team_words::completed)) return true;
  }
  return false;
}

enum class presence : unsigned char { awaited, come, stopped, failed };

// The word of an image is read once more when it is known that it comes no more.
presence presence_of(process& us, const team_state& team, rank_id member) noexcept {
  const rank_id rank = team.core->job_rank(member);
  if (has_come(us, team, member)) return presence::come;
  const bool is_lost = has_failed(us, rank);
  if (!is_lost && !us.runtime.stopped(rank)) return presence::awaited;
  if (has_come(us, team, member)) return presence::come;
  return is_lost ? presence::failed : presence::stopped;
}

/// Waits without a barrier, which a team that has lost a member does not have: until each image has
/// come to the present statement, or is known not to come.
meeting meet_without_barrier(process& us, team_state& team, const char* call,
                             const status_variables& told) noexcept {
  int failed = 0;
  for (rank_id member = 0; member < team.core->size(); ++member) {
    if (member == team.core->rank()) continue;
    presence found = presence::awaited;
    us.runtime.wait_until(
        [&] { return (found = presence_of(us, team, member)) != presence::awaited; },
        runtime::silent_sleep_ns);
    if (found == presence::stopped) {
      tell_stopped(told, call, static_cast<int>(member) + 1);
      return meeting::missed;
    }
    if (found == presence::come || is_complete_for_another(us, team)) continue;
    if (failed == 0) failed = static_cast<int>(member) + 1;
    if (told.stat == nullptr) tell_failed(us, told, call, failed);
  }
  return failed == 0 ? meeting::of_all : meeting::of_survivors;
}

}  // namespace

void count_completed(team_state& team) noexcept {
  __atomic_store_n(&team.words->completed, team.progress, __ATOMIC_RELEASE);
}

void tell_stopped(const status_variables& told, const char* call, int image) noexcept {
  told.fail(failure::stopped_image, call,
            text("image ", image, " has stopped and never comes here"),
            "let all images come to this statement, or give it STAT=");
}

namespace {

void begin_statement(process& us, team_state& team, const status_variables& told) noexcept {
  note_status(us, told);
  us.writes.wait();
  count_here(team);
}

bool tell_missing(process& us, const team_state& team, const char* call,
                  const status_variables& told) noexcept {
  const int missing = find_missing(us, team);
  if (missing == 0) [[likely]]
    return false;
  tell_stopped(told, call, missing);
  return true;
}

}  // namespace

bool enter(process& us, team_state& team, const char* call, const status_variables& told) noexcept {
  begin_statement(us, team, told);
  return !tell_missing(us, team, call, told);
}

meeting wait_for_members(process& us, team_state& team, event& done, const char* call,
                         const status_variables& told) noexcept {
  operation_status status = operation_status::done;
  if (!us.runtime.test(done, status)) {
    int missing = 0;
    us.runtime.wait_until(
        [&] { return done.record()->complete() || (missing = find_missing(us, team)) != 0; });
    if (!done.record()->complete()) {
      (void)done.release();
      tell_stopped(told, call, missing);
      return meeting::missed;
    }
    status = us.runtime.wait(done);
  }
  return status == operation_status::done ? meeting::of_all : meeting::of_survivors;
}

namespace {

/// A barrier of the team; ends early when a member is seen that has stopped and never comes.
meeting meet_by_barrier(process& us, team_state& team, const char* call,
                        const status_variables& told) noexcept {
  struct {
    process& us;
    const team_state& team;
    int missing = 0;
  } seen{us, team};
  const auto is_missing = [](void* context) noexcept {
    auto& found = *static_cast<decltype(seen)*>(context);
    found.missing = find_missing(found.us, found.team);
    return found.missing != 0;
  };
  const std::optional<operation_status> ended =
      team.core->barrier_unless({.is_wanted = is_missing, .context = &seen});
  if (!ended.has_value()) {
    tell_stopped(told, call, seen.missing);
    return meeting::missed;
  }
  return *ended == operation_status::done ? meeting::of_all : meeting::of_survivors;
}

}  // namespace

// The barrier orders memory among its members. A full fence adds the order with images of other
// teams, which may look at this image's atomic variables. An image that has stopped is looked for
// before the barrier only when one is known: else the barrier, which does not complete, does it.
meeting sync_members(process& us, team_state& team, const char* call,
                     const status_variables& told) noexcept {
  begin_statement(us, team, told);
  if (us.knows_of_stop && tell_missing(us, team, call, told)) return meeting::missed;
  meeting met = meet_by_barrier(us, team, call, told);
  if (met == meeting::of_survivors) [[unlikely]]
    met = meet_without_barrier(us, team, call, told);
  if (met == meeting::of_all) count_completed(team);
  if (met != meeting::of_all || team.core->size() != us.runtime.size()) fence_all();
  return met;
}

meeting complete_together(process& us, team_state& team, bool is_done, const char* call,
                          const status_variables& told) noexcept {
  if (!enter(us, team, call, told)) return meeting::missed;
  if (!is_done) return meeting::of_survivors;
  event done = team.core->start_barrier();
  const meeting met = wait_for_members(us, team, done, call, told);
  if (met == meeting::of_all) count_completed(team);
  return met;
}

void conclude(process& us, const team_state& team, const char* call, meeting met,
              const status_variables& told) noexcept {
  if (met == meeting::of_all) [[likely]]
    return told.succeed();
  if (met == meeting::of_survivors) tell_state_of(us, team, call, told);
}

void sync_all(const status_variables& told) noexcept {
  static constexpr const char* call = "SYNC ALL";
  process& us = running();
  conclude(us, *us.current, call, sync_members(us, *us.current, call, told), told);
}

void sync_team(team_state* team, const status_variables& told) noexcept {
  static constexpr const char* call = "SYNC TEAM";
  process& us = running();
  team_state& members = team != nullptr ? *team : *us.current;
  conclude(us, members, call, sync_members(us, members, call, told), told);
}

void sync_memory(const status_variables& told) noexcept {
  process& us = running();
  note_status(us, told);
  us.writes.wait();
  us.runtime.progress();
  check_patience(us, "SYNC MEMORY");
  std::atomic_thread_fence(std::memory_order_seq_cst);
  told.succeed();
}

// --- SYNC IMAGES

namespace {

std::vector<rank_id> all_partners(const team_state& team) {
  std::vector<rank_id> partners(team.core->size());
  for (rank_id member = 0; member < team.core->size(); ++member)
    partners[member] = team.core->job_rank(member);
  return partners;
}

/// False, with the error told: an image is named twice, or is none.
bool find_partners(process& us, int count, const int* images, const status_variables& told,
                   std::vector<rank_id>& partners) {
  static constexpr const char* call = "SYNC IMAGES";
  const rank_id size = us.image_count();
  for (int i = 0; i < count; ++i) {
    if (images[i] < 1 || static_cast<rank_id>(images[i]) > size) {
      told.fail(failure::other, call, text("there is no image ", images[i], " in the current team"),
                text("use images from 1 to ", size));
      return false;
    }
    const rank_id rank = rank_of(us, call, images[i]);
    if (std::find(partners.begin(), partners.end(), rank) != partners.end()) {
      told.fail(failure::other, call, text("image ", images[i], " is named twice"),
                "name each image once");
      return false;
    }
    partners.push_back(rank);
  }
  return true;
}

void post(process& us, rank_id partner) noexcept {
  auto* const own_word = reinterpret_cast<const std::byte*>(us.sync_posts + us.runtime.rank());
  auto* const word = reinterpret_cast<std::uint32_t*>(us.remote_address(partner, own_word));
  atomic<std::uint32_t>(us.heaps, partner, word,
                        {.op = atomic_op::add, .operand = 1, .operand2 = 0});
  us.wake(partner);
}

/// False: the partner has stopped or failed before its post.
bool take_post(process& us, rank_id partner) noexcept {
  const std::uint32_t wanted = ++us.sync_taken[partner];
  const auto has_posted = [&] {
    // Acquire: pairs with the atomic add of the partner.
    const std::uint32_t posts = __atomic_load_n(us.sync_posts + partner, __ATOMIC_ACQUIRE);
    return static_cast<std::int32_t>(posts - wanted) >= 0;
  };
  us.runtime.wait_until(
      [&] { return has_posted() || us.runtime.stopped(partner) || has_failed(us, partner); },
      runtime::silent_sleep_ns);
  if (has_posted()) return true;
  --us.sync_taken[partner];
  return false;
}

/// The posts of all others are taken also when an image has stopped or failed.
void await_posts(process& us, const std::vector<rank_id>& partners,
                 const status_variables& told) noexcept {
  static constexpr const char* call = "SYNC IMAGES";
  int stopped = 0;
  int failed = 0;
  for (const rank_id partner : partners) {
    if (partner == us.runtime.rank() || take_post(us, partner)) continue;
    int& missing = has_failed(us, partner) ? failed : stopped;
    if (missing == 0) missing = static_cast<int>(us.current->core->member(partner)) + 1;
    if (told.stat == nullptr) break;
  }
  if (stopped != 0) return tell_stopped(told, call, stopped);
  if (failed != 0) return tell_failed(us, told, call, failed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  told.succeed();
}

}  // namespace

void sync_images(int count, const int* images, const status_variables& told) noexcept {
  process& us = running();
  note_status(us, told);
  std::vector<rank_id> partners;
  if (count < 0) {
    partners = all_partners(*us.current);
  } else if (!find_partners(us, count, images, told, partners)) {
    return;
  }
  us.writes.wait();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const rank_id self = us.runtime.rank();
  for (const rank_id partner : partners) {
    if (partner != self) post(us, partner);
  }
  await_posts(us, partners, told);
}

}  // namespace atl::coarray
