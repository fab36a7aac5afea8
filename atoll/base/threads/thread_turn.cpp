// SPDX-License-Identifier: BSD-3-Clause
//
// Turns are asked for by system calls, because older C libraries have no functions for them. The
// other properties of the thread, such as its nice value, are read before and written back.
#include <atoll/base/threads/thread_turn.hpp>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace atl {
namespace {

// The kernel's structure (sched_setattr(2)), in its first edition, which all kernels accept.
struct thread_scheduling {
  std::uint32_t size = sizeof(thread_scheduling);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime_ns = 0;
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};
static_assert(sizeof(thread_scheduling) == 48);

// Reads the scheduling of this thread; false where the call is forbidden.
bool read(thread_scheduling& own) noexcept {
  return ::syscall(SYS_sched_getattr, 0, &own, sizeof own, 0) == 0;
}

}  // namespace

void ask_for_short_turns() noexcept {
  thread_scheduling own;
  if (!read(own) || (own.policy != SCHED_OTHER && own.policy != SCHED_BATCH)) return;
  own.size = sizeof own;
  own.runtime_ns = short_turn_ns;
  ::syscall(SYS_sched_setattr, 0, &own, 0);
}

std::int64_t turn_ns() noexcept {
  thread_scheduling own;
  return read(own) ? static_cast<std::int64_t>(own.runtime_ns) : 0;
}

}  // namespace atl
