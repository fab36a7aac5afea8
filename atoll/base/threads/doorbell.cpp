// SPDX-License-Identifier: BSD-3-Clause
//
// The system calls of the doorbell: membarrier for the sleeper's half of the fence, and a futex
// that is not private, since sleeper and waker may be different processes.
#include <atoll/base/threads/doorbell.hpp>

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace atl {
namespace {

constexpr std::int64_t longest_unfenced_sleep_ns = 1'000'000;

long membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0); }

/// The futex system call wants the address of a plain word; an atomic one has the same layout.
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) noexcept {
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout,
                   nullptr, 0);
}

/// Whether a fence was ever refused in this process; then it stays refused. Relaxed: the value
/// decides only how long a sleep may last.
constinit std::atomic<bool> fence_refused = false;

/// Fences all running threads of registered processes, and this one.
void fence_everyone() noexcept {
  if (fence_refused.load(std::memory_order_relaxed)) return;
  if (membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0)
    fence_refused.store(true, std::memory_order_relaxed);
}

}  // namespace

bool doorbell::register_process() noexcept {
  if (membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) != 0)
    fence_refused.store(true, std::memory_order_relaxed);
  fence_everyone();
  return !fence_refused.load(std::memory_order_relaxed);
}

doorbell::ticket doorbell::prepare() noexcept {
  // The ticket is drawn before the announcement. A waker that takes the announcement counts its
  // ring afterwards, so the sleep ends even when the waker came for an older condition. A ticket
  // drawn later could already include that ring, and the sleeper would sleep with nothing
  // announced.
  // acquire: pairs with the increment in wake(); a ring before this load is seen by the check.
  const ticket drawn = rings_.load(std::memory_order_acquire);
  // acq_rel: pairs with the exchange of a waker, so that what was sent before it found the bell
  // taken is seen by the check. The order of this store and the check comes from the fence below.
  const std::uint32_t old_state = asleep_.fetch_or(announced, std::memory_order_acq_rel);
  if ((old_state & ringers_fence) != 0)
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the fence in wake()
  else
    fence_everyone();
  return drawn;
}

// A ringer that has not seen the bit does not fence, so one fence of all threads is needed once:
// what the ringer stored before is visible to this process afterwards, and its next load finds
// the bit.
void doorbell::make_ringers_fence() noexcept {
  asleep_.fetch_or(ringers_fence, std::memory_order_relaxed);
  fence_everyone();
}

std::int64_t doorbell::longest_sleep_ns() noexcept {
  return fence_refused.load(std::memory_order_relaxed) ? longest_unfenced_sleep_ns : forever_ns;
}

void doorbell::sleep(ticket drawn, std::int64_t timeout_ns) noexcept {
  timeout_ns = std::min(timeout_ns, longest_sleep_ns());
  if (timeout_ns <= 0) return;
  const timespec span = {.tv_sec = static_cast<time_t>(timeout_ns / 1'000'000'000),
                         .tv_nsec = static_cast<long>(timeout_ns % 1'000'000'000)};
  futex(rings_, FUTEX_WAIT, drawn, timeout_ns == forever_ns ? nullptr : &span);
}

void doorbell::wake() noexcept {
  if ((asleep_.load(std::memory_order_relaxed) & ringers_fence) != 0) {
    // Pairs with the fence in prepare(): either this load finds the announcement, or the sleeper's
    // check finds the condition.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if ((asleep_.load(std::memory_order_relaxed) & announced) == 0) return;
  }
  // acq_rel: pairs with the change in prepare(). A ringer that finds the announcement taken leaves
  // the wake to the one that took it.
  if ((asleep_.fetch_and(~announced, std::memory_order_acq_rel) & announced) == 0) return;
  rings_.fetch_add(1, std::memory_order_release);  // pairs with the load in prepare()
  futex(rings_, FUTEX_WAKE, INT_MAX, nullptr);
}

}  // namespace atl
