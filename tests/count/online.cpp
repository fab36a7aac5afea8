// SPDX-License-Identifier: BSD-3-Clause
//
// Bursts of calls whose instructions are counted at rank 0 of two: broadcasts of 64 bytes from it,
// which it waits for, or all-reduces of 8 bytes, which it starts. It never waits in a counted
// function: there is room for the data of a burst, and rank 1 starts its part of the all-reduces
// after it. With ATOLL_TUNE=online the search is over before the first burst. difference_test.py
// compares the instructions of a call with and without it.
//
//   online broadcast|allreduce
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/core/job/runtime.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

namespace {

constexpr unsigned burst = 4;
constexpr std::uint64_t searching = 60, times = 400;

using events = std::array<atl::event, burst>;

const atl::coll::reduction sum =
    atl::coll::built_in(atl::coll::reduce_operation::add, atl::data_type::u64);

[[gnu::always_inline]] inline void broadcasts(atl::team& world, std::uint64_t* values) {
  for (unsigned i = 0; i < burst; ++i) {
    atl::coll::broadcast(world, 0, values, values, 8 * sizeof *values);
  }
}

[[gnu::always_inline]] inline void allreduces(atl::team& world, std::uint64_t* values,
                                              events& under_way) {
  for (unsigned i = 0; i < burst; ++i) {
    under_way[i] = atl::coll::start_allreduce(world, values + i, values + i, 1, sum);
  }
}

}  // namespace

// Their names must be plain symbols. Rank 0 alone calls the counted ones.
extern "C" {

[[gnu::noinline]] void counted_broadcast(atl::team& world, std::uint64_t* values) {
  broadcasts(world, values);
}

[[gnu::noinline]] void other_broadcast(atl::team& world, std::uint64_t* values) {
  broadcasts(world, values);
}

[[gnu::noinline]] void counted_allreduce(atl::team& world, std::uint64_t* values,
                                         events& under_way) {
  allreduces(world, values, under_way);
}

[[gnu::noinline]] void other_allreduce(atl::team& world, std::uint64_t* values, events& under_way) {
  allreduces(world, values, under_way);
}

}  // extern "C"

namespace {

bool run_broadcasts(atl::runtime& job) {
  atl::team& world = job.world();
  std::uint64_t values[8]{}, total = 0;
  for (std::uint64_t i = 0; i < searching + times; ++i) {
    if (job.rank() == 0) values[7] = i;
    const bool is_counted = job.rank() == 0 && i >= searching;
    (is_counted ? counted_broadcast : other_broadcast)(world, values);
    total += values[7];
    world.barrier();
  }
  const std::uint64_t all = searching + times;
  return total == all * (all - 1) / 2;
}

// The other team only orders the starts of the ranks.
bool run_allreduces(atl::runtime& job) {
  atl::team& world = job.world();
  std::unique_ptr<atl::team> order = atl::coll::split_team(world, 0, 0);
  bool is_right = true;
  for (std::uint64_t i = 0; i < searching + times; ++i) {
    std::uint64_t values[burst]{i, i, i, i};
    events under_way;
    const bool is_counted = job.rank() == 0 && i >= searching;
    if (job.rank() != 0) order->barrier();
    (is_counted ? counted_allreduce : other_allreduce)(world, values, under_way);
    if (job.rank() == 0) order->barrier();
    for (atl::event& each : under_way) job.wait(each);
    for (const std::uint64_t each : values) is_right = is_right && each == 2 * i;
    world.barrier();
  }
  atl::coll::destroy_team(std::move(order));
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  const bool reduces = argc > 1 && std::string_view(argv[1]) == "allreduce";
  atl::runtime job;
  return (reduces ? run_allreduces : run_broadcasts)(job) ? EXIT_SUCCESS : EXIT_FAILURE;
}
