// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers of teams, and counters between pairs of images for SYNC IMAGES: an image adds one at
// each partner, and takes one of those that the partner has added here.
#include <front/coarray/synchronization.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/rma/rma.hpp>

#include <algorithm>
#include <atomic>
#include <vector>

namespace atl::coarray {
namespace {

void count_here(team_state& team) noexcept {
  // Release: pairs with the load of an image that sees this one stopped.
  __atomic_store_n(team.progress_word, ++team.progress, __ATOMIC_RELEASE);
}

// Numbers wrap; members are never 2^31 statements apart.
bool has_come(process& us, const team_state& team, rank_id rank) noexcept {
  auto* const word = reinterpret_cast<std::uint32_t*>(
      us.remote_address(rank, reinterpret_cast<const std::byte*>(team.progress_word)));
  const std::uint32_t seen = atomic<std::uint32_t>(
      us.heaps, rank, word, {.op = atomic_op::get, .operand = 0, .operand2 = 0});
  return static_cast<std::int32_t>(seen - team.progress) >= 0;
}

/// The image of the team that has stopped and has not come to its present statement; 0: none.
int find_missing(process& us, const team_state& team) noexcept {
  if (!us.runtime.boot().any_has_stopped()) [[likely]]
    return 0;
  for (rank_id member = 0; member < team.core->size(); ++member) {
    const rank_id rank = team.core->job_rank(member);
    if (us.runtime.stopped(rank) && !has_come(us, team, rank)) return static_cast<int>(member) + 1;
  }
  return 0;
}

void tell_stopped(const status_variables& told, const char* call, int image) noexcept {
  told.fail(failure::stopped_image, call,
            text("image ", image, " has stopped and never comes here"),
            "let all images come to this statement, or give it STAT=");
}

}  // namespace

bool enter(process& us, team_state& team, const char* call, const status_variables& told) noexcept {
  us.writes.wait();
  count_here(team);
  const int missing = find_missing(us, team);
  if (missing == 0) [[likely]]
    return true;
  tell_stopped(told, call, missing);
  return false;
}

bool wait_for_members(process& us, team_state& team, event& done, const char* call,
                      const status_variables& told) noexcept {
  if (done.empty() || us.runtime.test(done)) return true;
  int missing = 0;
  us.runtime.wait_until(
      [&] { return done.record()->complete() || (missing = find_missing(us, team)) != 0; });
  if (!done.record()->complete()) {
    (void)done.release();
    tell_stopped(told, call, missing);
    return false;
  }
  us.runtime.wait(done);
  return true;
}

bool sync_members(process& us, team_state& team, const char* call,
                  const status_variables& told) noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!enter(us, team, call, told)) return false;
  event done = team.core->start_barrier();
  const bool complete = wait_for_members(us, team, done, call, told);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return complete;
}

void sync_all(const status_variables& told) noexcept {
  process& us = running();
  if (sync_members(us, *us.current, "SYNC ALL", told)) told.succeed();
}

void sync_team(team_state* team, const status_variables& told) noexcept {
  process& us = running();
  if (sync_members(us, team != nullptr ? *team : *us.current, "SYNC TEAM", told)) told.succeed();
}

void sync_memory(const status_variables& told) noexcept {
  process& us = running();
  us.writes.wait();
  us.runtime.progress();
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

/// False: the partner has stopped before its post.
bool take_post(process& us, rank_id partner) noexcept {
  const std::uint32_t wanted = ++us.sync_taken[partner];
  const auto has_posted = [&] {
    // Acquire: pairs with the atomic add of the partner.
    const std::uint32_t posts = __atomic_load_n(us.sync_posts + partner, __ATOMIC_ACQUIRE);
    return static_cast<std::int32_t>(posts - wanted) >= 0;
  };
  us.runtime.wait_until([&] { return has_posted() || us.runtime.stopped(partner); },
                        runtime::silent_sleep_ns);
  if (has_posted()) return true;
  --us.sync_taken[partner];
  return false;
}

}  // namespace

void sync_images(int count, const int* images, const status_variables& told) noexcept {
  static constexpr const char* call = "SYNC IMAGES";
  process& us = running();
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
  int missing = 0;  // the posts of all others are taken also when an image has stopped
  for (const rank_id partner : partners) {
    if (partner == self || take_post(us, partner)) continue;
    if (missing == 0) missing = static_cast<int>(us.current->core->member(partner)) + 1;
  }
  if (missing != 0) return tell_stopped(told, call, missing);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  told.succeed();
}

}  // namespace atl::coarray
