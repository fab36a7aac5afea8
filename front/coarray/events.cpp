// SPDX-License-Identifier: BSD-3-Clause
//
// An event is a word of 64 bits. Its image sleeps while it waits, and a post wakes it.
#include <front/coarray/events.hpp>

#include <atoll/core/atomic/atomic.hpp>

#include <algorithm>
#include <atomic>

namespace atl::coarray {
namespace {

using word = std::int64_t;

/// Whether nobody is left who could post.
bool is_alone(process& us) noexcept {
  if (us.runtime.size() != 1 && !us.runtime.boot().any_has_stopped()) [[likely]]
    return false;
  for (rank_id rank = 0; rank < us.runtime.size(); ++rank) {
    if (rank != us.runtime.rank() && !us.runtime.stopped(rank)) return false;
  }
  return true;
}

}  // namespace

void post_event(const remote_place& place, const status_variables& told) noexcept {
  process& us = running();
  us.writes.wait();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  atomic<word>(us.heaps, place.rank, reinterpret_cast<word*>(place.address),
               {.op = atomic_op::add, .operand = 1, .operand2 = 0});
  us.wake(place.rank);
  told.succeed();
}

void wait_for_event(std::byte* own_place, std::int64_t until_count,
                    const status_variables& told) noexcept {
  process& us = running();
  us.writes.wait();
  auto* const counter = reinterpret_cast<word*>(own_place);
  const word wanted = std::max<word>(until_count, 1);
  // Acquire: pairs with the atomic add of a post.
  const auto has_come = [&] { return __atomic_load_n(counter, __ATOMIC_ACQUIRE) >= wanted; };
  us.runtime.wait_until([&] { return has_come() || is_alone(us); });
  if (!has_come()) {
    told.fail(failure::stopped_image, "EVENT WAIT",
              "all other images have stopped, and none has posted",
              "post as often as is waited for, or give the statement STAT=");
    return;
  }
  __atomic_fetch_sub(counter, wanted, __ATOMIC_ACQ_REL);  // pairs with posts of others
  std::atomic_thread_fence(std::memory_order_seq_cst);
  told.succeed();
}

std::int64_t query_event(const remote_place& place) noexcept {
  process& us = running();
  us.answer_others();
  return atomic<word>(us.heaps, place.rank, reinterpret_cast<word*>(place.address),
                      {.op = atomic_op::get, .operand = 0, .operand2 = 0}, {.acquire = true});
}

}  // namespace atl::coarray
