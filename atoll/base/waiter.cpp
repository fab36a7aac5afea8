// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers of the waiting policies, chosen by measuring barriers, token rings and message flows
// of 2 to 64 processes on 2 cores, idle and loaded. With a core per rank, 200 polls (some us)
// outlast any answer that is under way; a yield then costs about 0.3 us when nobody else wants the
// core, so it may go on for some 200 us, and costs a few us less than spinning as soon as somebody
// does. Crowded, any poll before a yield keeps the awaited rank from running; after about a round
// of the others, sleep, so that the core's queue holds those who have work.
#include <atoll/base/waiter.hpp>

#include <sched.h>

namespace atl {

wait_policy choose_wait_policy(wait_mode mode, unsigned ranks, unsigned cores) noexcept {
  constexpr wait_policy roomy = {.spins = 200, .yields = 600};
  constexpr wait_policy crowded = {.spins = 0, .yields = 16};
  switch (mode) {
    case wait_mode::automatic:
      return ranks <= cores ? roomy : crowded;
    case wait_mode::spin:
      return {.spins = wait_policy::endless, .yields = 0};
    case wait_mode::yield:
      return {.spins = ranks <= cores ? roomy.spins : 0, .yields = wait_policy::endless};
    case wait_mode::sleep:
      return {.spins = 0, .yields = 0};
  }
  return crowded;
}

bool waiter::yield() noexcept {
  const bool endless = policy_.yields == wait_policy::endless;
  if (!endless && polls_ - policy_.spins >= policy_.yields) return false;
  if (!endless) ++polls_;
  ::sched_yield();
  return true;
}

}  // namespace atl
