// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers of the waiting policies. A poll with its pause is about 50 ns, a yield that finds
// nobody else about 0.4 us: 400 of the first and 500 of the second are the 20 us and 200 us that a
// fall asleep (a fence of a few us, a wake of 5 to 50 us) should be rare against. Crowded, a yield
// hands the core to another rank, so the count and not the time matters: a round or so of all
// ranks, then sleep, so that the core's queue holds those who have work.
#include <atoll/base/waiter.hpp>

#include <sched.h>

namespace atl {

wait_policy choose_wait_policy(wait_mode mode, unsigned ranks, unsigned cores) noexcept {
  constexpr wait_policy roomy = {.spins = 400, .yields = 500};
  constexpr wait_policy crowded = {.spins = 20, .yields = 64};
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
