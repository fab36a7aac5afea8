// SPDX-License-Identifier: BSD-3-Clause
//
// Bursts of broadcasts of 64 bytes from rank 0 to rank 1. The root never waits: there is room for
// all data of a burst, and the ranks synchronise after each burst, outside of the counted function.
// With ATOLL_TUNE=online the search is over before the first burst. difference_test.py compares the
// instructions of a call with and without it.
#include <atoll/coll/collectives.hpp>
#include <atoll/core/job/runtime.hpp>

#include <cstdint>
#include <cstdlib>

namespace {

constexpr unsigned burst = 4;

[[gnu::always_inline]] inline void broadcasts(atl::team& world, std::uint64_t* values) {
  for (unsigned i = 0; i < burst; ++i) {
    atl::coll::broadcast(world, 0, values, values, 8 * sizeof *values);
  }
}

}  // namespace

// Their names must be plain symbols. Rank 0 alone calls the first.
extern "C" {

[[gnu::noinline]] void counted_broadcasts(atl::team& world, std::uint64_t* values) {
  broadcasts(world, values);
}

[[gnu::noinline]] void other_broadcasts(atl::team& world, std::uint64_t* values) {
  broadcasts(world, values);
}

}  // extern "C"

int main() {
  constexpr std::uint64_t searching = 60, times = 400;
  atl::runtime job;
  atl::team& world = job.world();
  std::uint64_t values[8]{}, sum = 0;
  for (std::uint64_t i = 0; i < searching + times; ++i) {
    if (job.rank() == 0) values[7] = i;
    const bool is_counted = job.rank() == 0 && i >= searching;
    (is_counted ? counted_broadcasts : other_broadcasts)(world, values);
    sum += values[7];
    world.barrier();
  }
  const std::uint64_t all = searching + times;
  return sum == all * (all - 1) / 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
