// SPDX-License-Identifier: BSD-3-Clause
//
// Waiting for a variable of this PE: its memory is read, by acquire loads, because anything may
// change it - an atomic, a put, a plain store of a neighbour or of another thread. A wait spins,
// then yields, then sleeps. Puts and atomics of this host and messages wake it; a plain store wakes
// no thread, so a sleep lasts half a millisecond at most. Tests that fail one after the other count
// as a wait of the program's own.
#pragma once

#include <atoll/base/system/cpu.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/job/runtime.hpp>
#include <front/shmem/checks.hpp>

#include <sched.h>

#include <atomic>

namespace atl::shmem {

/// Ends the job when `cmp` is no comparison.
inline void check_comparison(const char* call, int cmp) noexcept {
  if (cmp >= SHMEM_CMP_EQ && cmp <= SHMEM_CMP_GE) [[likely]]
    return;
  refuse(call, text("there is no comparison ", cmp), "use one of SHMEM_CMP_EQ to SHMEM_CMP_GE");
}

template <class T>
bool compare(T value, int cmp, T operand) noexcept {
  switch (cmp) {
    case SHMEM_CMP_EQ:
      return value == operand;
    case SHMEM_CMP_NE:
      return value != operand;
    case SHMEM_CMP_GT:
      return value > operand;
    case SHMEM_CMP_LE:
      return value <= operand;
    case SHMEM_CMP_LT:
      return value < operand;
    default:
      return value >= operand;
  }
}

/// Acquire: pairs with the release by which another PE or thread writes the variable; what was
/// written before it is visible then.
template <class T>
T load(const volatile T* variable) noexcept {
  return __atomic_load_n(variable, __ATOMIC_ACQUIRE);
}

/// A pause follows each look that finds nothing: looks without a pause would take the cache line
/// away from the PE that is about to write it.
template <class Ready>
void wait_for(process_state& us, Ready ready) noexcept {
  const auto look = [&] {
    if (ready()) return true;
    atl::pause();
    return false;
  };
  us.runtime.wait_until(look, runtime::silent_sleep_ns);
}

/// Notes the result of a test of this process, and returns it. A program that tests in a loop
/// yields the core, so that the PE that it waits for can run; where each PE has a core of its own,
/// it yields rarely.
inline bool after_test(process_state& us, bool holds) noexcept {
  // Relaxed: the counter orders nothing, and an increment that another thread overwrites is
  // harmless.
  const unsigned failed = us.failed_tests.load(std::memory_order_relaxed);
  if (holds) {
    if (failed != 0) us.failed_tests.store(0, std::memory_order_relaxed);
    return true;
  }
  constexpr unsigned patience = 8;
  us.failed_tests.store(failed + 1, std::memory_order_relaxed);
  if (failed >= patience && (us.runtime.is_oversubscribed() || failed % 256 == 0)) ::sched_yield();
  return false;
}

/// Returns the value that has met the condition.
template <class T>
T wait_until(const char* call, const volatile T* variable, int cmp, T operand) noexcept {
  process_state& us = running(call);
  check_comparison(call, cmp);
  check_waited(us, call, variable, sizeof *variable);
  T seen{};
  wait_for(us, [&] {
    seen = load(variable);
    return compare(seen, cmp, operand);
  });
  return seen;
}

}  // namespace atl::shmem
