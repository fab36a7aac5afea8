// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers of the waiting policies, chosen by measuring barriers, token rings and message
// flows of 2 to 64 processes on 2 cores, idle and loaded. With a core per rank, 200 polls (some
// us) outlast any answer that is under way; a yield then costs about 0.3 us when no other thread
// wants the core, so it may go on for some 200 us, and costs a few us less than spinning as soon
// as another program does. Where ranks share cores, any poll before a yield keeps the awaited rank
// from running; after about one turn of each other rank a thread sleeps, so that the core's queue
// holds only threads with work.
//
// A poll of a network is a system call of about 1 us, so there 32 polls outlast an answer over
// loopback; a yield then adds a third to a poll, and shows whether the core is wanted. (200 polls
// before the first yield made waits two times as long where another program, or a virtual machine
// that cannot be seen from here, wants the cores.)
//
// Ranks may not have their cores to themselves. A yield that takes long shows that another program
// wants this core, or that a rank computes there. Then this thread sleeps in its next waits too,
// without trying to yield: a thread that is woken gets the core before one that computes, and a
// thread that yields gets it after its turn of some ms. (Four ranks on two cores, beside two
// programs that compute, take a fifth of the time for an all-reduce of 8 bytes.) Where ranks share
// cores, a yield also takes as long as the turns of the ranks that wait, so the limit is higher.
#include <atoll/base/threads/waiter.hpp>

#include <atoll/base/clock.hpp>

#include <sched.h>

namespace atl {

namespace {

constexpr std::uint32_t waits_without_yields = 100;  // after a yield that took too long
constexpr std::uint32_t yields_per_look = 4;  // at the clock, which takes a tenth of a short yield

// The number of waits of this thread that are to sleep without a yield. It belongs to the thread
// and not to a wait or a runtime, because others compete for the thread's core.
thread_local std::uint32_t waits_to_sleep = 0;

}  // namespace

wait_policy choose_wait_policy(wait_mode mode, const wait_conditions& conditions) noexcept {
  const auto spins = static_cast<std::uint16_t>(conditions.has_network ? 32 : 200);
  const wait_policy roomy = {.spins = spins, .yields = 600, .yield_ns_max = 100'000};
  constexpr wait_policy oversubscribed = {.spins = 0, .yields = 16, .yield_ns_max = 500'000};
  switch (mode) {
    case wait_mode::automatic:
      return conditions.ranks <= conditions.cores ? roomy : oversubscribed;
    case wait_mode::spin:
      return {.spins = wait_policy::endless, .yields = 0};
    case wait_mode::yield:
      return {.spins = conditions.ranks <= conditions.cores ? roomy.spins : oversubscribed.spins,
              .yields = wait_policy::endless};
    case wait_mode::sleep:
      return {.spins = 0, .yields = 0};
  }
  return oversubscribed;
}

bool waiter::yield() noexcept {
  const bool endless = policy_.yields == wait_policy::endless;
  if (!endless && polls_ >= std::uint32_t{policy_.spins} + policy_.yields) return false;
  if (!endless) ++polls_;
  if (policy_.yield_ns_max != 0) return yield_briefly();
  ::sched_yield();
  return true;
}

bool waiter::yield_briefly() noexcept {
  if (waits_to_sleep > 0) {
    --waits_to_sleep;
    polls_ = std::uint32_t{policy_.spins} + policy_.yields;
    return false;
  }
  if ((polls_ - policy_.spins) % yields_per_look != 1) {
    ::sched_yield();
    return true;
  }
  const std::int64_t before_ns = now_ns();
  ::sched_yield();
  if (now_ns() - before_ns > policy_.yield_ns_max) waits_to_sleep = waits_without_yields;
  return true;
}

}  // namespace atl
