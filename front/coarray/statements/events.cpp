// SPDX-License-Identifier: BSD-3-Clause
//
// An event is a word of 64 bits, beside the word that counts the posts taken. Its image sleeps
// while it waits, and a post wakes it.
#include <front/coarray/statements/events.hpp>

#include <atoll/base/copy.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <front/coarray/failures/failed_images.hpp>

#include <algorithm>
#include <atomic>

namespace atl::coarray {
namespace {

constexpr const char* wait_call = "EVENT WAIT";

/// Polls for an event that comes at this moment, before a wait that also looks for messages and for
/// images that are gone. A loop of such waits still serves images that have sent messages.
template <class Condition>
bool is_posted_soon(process_state& us, Condition is_posted) noexcept {
  constexpr int looks_max = 128;
  if (us.must_serve_others()) us.serve_others();
  for (int looks = 0; looks < looks_max; ++looks) {
    if (is_posted()) return true;
  }
  return false;
}

/// Whether no image is left that could post.
bool is_alone(process_state& us) noexcept {
  if (us.runtime.size() != 1 && !layer_access::boot(us.runtime).any_has_stopped() &&
      !any_has_failed(us)) [[likely]]
    return false;
  for (rank_id rank = 0; rank < us.runtime.size(); ++rank) {
    if (rank != us.runtime.rank() && !us.runtime.stopped(rank) && !has_failed(us, rank))
      return false;
  }
  return true;
}

/// Whether an image has failed that no statement here has reported; it may be the one that was to
/// post. Without STAT= only check_patience() helps.
bool has_unreported_failure(process_state& us, const status_variables& status) noexcept {
  if (!any_has_failed(us)) [[likely]]
    return false;
  if (status.stat != nullptr)
    return layer_access::losses(us.runtime).count() != us.failures_reported;
  check_patience(us, wait_call);
  return false;
}

void tell_no_post(process_state& us, const status_variables& status) noexcept {
  const int failed = find_failed(us, *us.initial);
  if (failed != 0) return tell_failed_rank(us, status, wait_call, static_cast<rank_id>(failed) - 1);
  status.fail(statement_error::stopped_image, wait_call,
              "all other images have stopped, and none has posted",
              "post as often as is waited for, or give the statement STAT=");
}

}  // namespace

void wake_image(int image) noexcept {
  process_state& us = running();
  us.wake(us.current->core->job_rank(static_cast<rank_id>(image - 1)));
}

void post_event(const remote_place& place, const status_variables& status) noexcept {
  process_state& us = running();
  note_status(us, status);
  us.writes.wait();
  if (us.all_direct) {
    fence_all_beside_atomic();
  } else {
    fence_all();
  }
  atomic<event_count>(us.heaps, place.rank, reinterpret_cast<event_count*>(place.address),
                      {.op = atomic_op::add, .operand = 1, .operand2 = 0});
  us.wake(place.rank);
  if (status.stat != nullptr) us.answer_others();
  if (has_failed(us, place.rank)) return tell_failed_rank(us, status, "EVENT POST", place.rank);
  status.succeed();
}

void wait_for_event(std::byte* own_place, std::size_t to_taken, std::int64_t until_count,
                    const status_variables& status) noexcept {
  process_state& us = running();
  note_status(us, status);
  us.writes.wait();
  auto* const counter = reinterpret_cast<event_count*>(own_place);
  auto* const taken =
      to_taken != 0 ? reinterpret_cast<event_count*>(own_place + to_taken) : nullptr;
  const event_count wanted =
      std::max<event_count>(until_count, 1) + (taken != nullptr ? *taken : 0);
  // Acquire: pairs with the atomic add of a post.
  const auto is_posted = [&] { return __atomic_load_n(counter, __ATOMIC_ACQUIRE) >= wanted; };
  if (!is_posted_soon(us, is_posted)) {
    us.runtime.wait_until(
        [&] { return is_posted() || is_alone(us) || has_unreported_failure(us, status); });
    if (!is_posted()) return tell_no_post(us, status);
  }
  if (taken != nullptr) {
    __atomic_store_n(taken, wanted, __ATOMIC_RELAXED);  // for EVENT_QUERY, which compares numbers
  } else {
    __atomic_fetch_sub(counter, wanted, __ATOMIC_ACQ_REL);  // pairs with posts of others
  }
  fence_all_beside_atomic();
  status.succeed();
}

std::int64_t query_event(const remote_place& place, std::size_t to_taken,
                         const status_variables& status) noexcept {
  static constexpr const char* call = "EVENT_QUERY";
  process_state& us = running();
  note_status(us, status);
  us.answer_others();
  check_patience(us, call);
  const auto read = [&](std::byte* at) {
    return atomic<event_count>(us.heaps, place.rank, reinterpret_cast<event_count*>(at),
                               {.op = atomic_op::get, .operand = 0, .operand2 = 0},
                               {.acquire = true});
  };
  // The number of posts is read last, so that it counts all that were taken.
  const event_count taken = to_taken != 0 ? read(place.address + to_taken) : 0;
  const event_count count = read(place.address) - taken;
  if (has_failed(us, place.rank)) {
    tell_failed_rank(us, status, call, place.rank);
    return 0;
  }
  status.succeed();
  return count;
}

}  // namespace atl::coarray
