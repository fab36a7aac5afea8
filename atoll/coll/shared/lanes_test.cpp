// SPDX-License-Identifier: BSD-3-Clause
//
// The promises of a host's lanes beyond single calls: calls of all shared algorithms may be under
// way together and complete in any order, on several teams, with more pieces than there are slots;
// and a member without memory for its lane costs speed, not results.
#include <atoll/base/threads/race_annotations.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/shared/lanes.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace atl::coll {
namespace {

using numbers = std::vector<std::uint64_t>;

const reduction sum = built_in(reduce_operation::add, data_type::u64);

/// A call under way, and what it shall give.
struct started {
  numbers from;
  numbers to;
  numbers wanted;
  event done;
};

std::uint64_t value(rank_id member, std::size_t i, unsigned round) {
  return (member + 1) * 1'000'003 + i * 17 + round;
}
std::uint64_t sum_of(rank_id members, std::size_t i, unsigned round) {
  std::uint64_t total = 0;
  for (rank_id member = 0; member < members; ++member) total += value(member, i, round);
  return total;
}

/// Starts one call of an algorithm of the table with `count` numbers per block.
void start(started& operation, team& team, const choice& options, std::size_t count,
           unsigned round) {
  const algorithm& use = *options.use;
  const rank_id me = team.rank(), size = team.size(), root = round % size;
  operation.from.resize(count * size);
  operation.to.assign(count * size, 0);
  for (std::size_t i = 0; i < count * size; ++i) operation.from[i] = value(me, i, round);
  const std::size_t bytes = count * sizeof(std::uint64_t);
  std::uint64_t* const to = operation.to.data();
  const std::uint64_t* const from = operation.from.data();
  switch (use.kind) {
    case collective::broadcast:
      for (std::size_t i = 0; i < count; ++i) operation.wanted.push_back(value(root, i, round));
      operation.done = start_broadcast(team, root, to, from, bytes, options);
      break;
    case collective::reduce:
      for (std::size_t i = 0; i < count && me == root; ++i) {
        operation.wanted.push_back(sum_of(size, i, round));
      }
      operation.done = start_reduce(team, root, to, from, count, sum, options);
      break;
    case collective::allreduce:
      for (std::size_t i = 0; i < count; ++i) operation.wanted.push_back(sum_of(size, i, round));
      operation.done = start_allreduce(team, to, from, count, sum, options);
      break;
    case collective::scatter:
      for (std::size_t i = 0; i < count; ++i)
        operation.wanted.push_back(value(root, me * count + i, round));
      operation.done = start_scatter(team, root, to, from, bytes, options);
      break;
    case collective::gather:
      for (std::size_t i = 0; i < count * size && me == root; ++i) {
        operation.wanted.push_back(value(static_cast<rank_id>(i / count), i % count, round));
      }
      operation.done = start_gather(team, root, to, from, bytes, options);
      break;
    case collective::allgather:
      for (std::size_t i = 0; i < count * size; ++i) {
        operation.wanted.push_back(value(static_cast<rank_id>(i / count), i % count, round));
      }
      operation.done = start_allgather(team, to, from, bytes, options);
      break;
    case collective::alltoall:
      for (std::size_t i = 0; i < count * size; ++i) {
        operation.wanted.push_back(
            value(static_cast<rank_id>(i / count), me * count + i % count, round));
      }
      operation.done = start_alltoall(team, to, from, bytes, options);
      break;
    default:
      for (std::size_t i = 0; i < count; ++i) operation.wanted.push_back(sum_of(me + 1, i, round));
      operation.done = start_scan(team, to, from, count, sum, scan_kind::inclusive, options);
  }
}

void finish(runtime& job, started& operation, const char* label) {
  job.wait(operation.done);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < operation.wanted.size(); ++i)
    wrong += operation.to[i] != operation.wanted[i];
  EXPECT_EQ(wrong, 0u) << label << ", of " << operation.wanted.size();
}

std::vector<const algorithm*> shared_algorithms() {
  std::vector<const algorithm*> result;
  for (const algorithm& each : algorithms()) {
    if (each.form != nullptr) result.push_back(&each);
  }
  return result;
}

// Large teams, and all under the thread sanitizer, get through the largest data too slowly.
#ifdef ATOLL_THREAD_SANITIZER
constexpr rank_id largest_data_team_max = 1;
#else
constexpr rank_id largest_data_team_max = 5;
#endif

/// Rounds of all shared algorithms on these teams in turn, many under way at a time.
void mix(runtime& job, const std::vector<team*>& teams, unsigned rounds) {
  constexpr std::size_t counts[] = {1, 7, 100, 3000, 40'000};
  constexpr std::size_t under_way_max = 48;
  std::deque<started> under_way;
  const auto shared = shared_algorithms();
  for (unsigned round = 0; round < rounds; ++round) {
    team& team = *teams[round % teams.size()];
    // Odd steps, so that sizes, algorithms and teams meet in all combinations.
    const algorithm& use = *shared[round / teams.size() % shared.size()];
    const std::size_t count = counts[round / 3 % std::size(counts)];
    const bool is_too_large = team.size() > largest_data_team_max && count > 3000;
    start(under_way.emplace_back(), team, {.use = &use}, is_too_large ? 2500 : count, round);
    if (under_way.size() == under_way_max) {
      while (under_way.size() > under_way_max / 2) {  // the newest first
        finish(job, under_way.back(), "newest");
        under_way.pop_back();
      }
    }
  }
  for (started& each : under_way) finish(job, each, "oldest");
}

class shared_lanes_of : public testing::TestWithParam<rank_id> {};

TEST_P(shared_lanes_of, any_number_of_calls_may_be_under_way) {
  support::run_job(GetParam(), [](runtime& job) {
    open(job);
    mix(job, {&job.world()}, 300);
  });
}

TEST_P(shared_lanes_of, teams_do_not_disturb_each_other) {
  support::run_job(GetParam(), [](runtime& job) {
    open(job);
    team& world = job.world();
    auto reversed = split_team(world, 0, -static_cast<int>(world.rank()));
    auto parity = split_team(world, static_cast<int>(world.rank() % 2), 0);
    mix(job, {&world, reversed.get(), parity.get()}, 200);
    destroy_team(std::move(parity));
    destroy_team(std::move(reversed));
    mix(job, {&world}, 50);
  });
}

// Lanes in descending order have a distance that wraps; where a rank is left out it is not the same
// for all.
TEST_P(shared_lanes_of, members_may_be_in_any_order) {
  support::run_job(GetParam(), [](runtime& job) {
    open(job);
    team& world = job.world();
    const int me = static_cast<int>(world.rank());
    auto uneven = split_team(world, me == 1 ? 1 : 0, -me);
    auto apart = split_team(world, me % 3 == 1 ? 1 : 0, me % 2 == 0 ? me : -me);
    mix(job, {uneven.get(), apart.get()}, 200);
    destroy_team(std::move(apart));
    destroy_team(std::move(uneven));
  });
}

TEST_P(shared_lanes_of, a_member_without_memory_makes_all_use_messages) {
  support::run_job(GetParam(), [](runtime& job) {
    open(job);
    if (job.rank() == job.size() - 1) {
      for (std::size_t bytes = std::size_t{16} << 20; bytes >= 4096; bytes /= 2) {
        while (layer_access::internal_heap(job).allocate(bytes) != nullptr) {
        }
      }
    }
    mix(job, {&job.world()}, 150);
  });
}

// One host has its lanes, the other not.
TEST(shared_lanes, leaders_do_without_the_lanes_of_a_host) {
  const auto body = [](runtime& job) {
    open(job);
    if (job.rank() == 7) {
      for (std::size_t bytes = std::size_t{16} << 20; bytes >= 4096; bytes /= 2) {
        while (layer_access::internal_heap(job).allocate(bytes) != nullptr) {
        }
      }
    }
    std::deque<started> under_way;
    for (unsigned round = 0; round < 16; ++round) {
      for (const algorithm& each : algorithms()) {
        if (!each.has_leaders) continue;
        const choice options{.use = &each, .leaders = round % 4 + 1};
        const std::size_t most = each.bytes_max / sizeof(std::uint64_t);
        const std::size_t count = std::min<std::size_t>(round % 3 == 0 ? 9000 : 40, most);
        start(under_way.emplace_back(), job.world(), options, count, round);
      }
    }
    for (started& each : under_way) finish(job, each, "striped");
  };
  support::run_job(8, body, {"ATOLL_NEIGHBOURHOOD=4"});
}

// A root that its members do not follow has room for this many broadcasts that fit beside a flag,
// and for fewer whose data lie in blocks.
TEST(shared_lanes, hold_more_small_calls_than_blocks) {
  const auto ended_alone = [](std::size_t bytes) {
    std::size_t ended = 0;
    const auto body = [&](runtime& job) {
      open(job);
      numbers data(bytes / sizeof(std::uint64_t), 7 * (1 - job.rank()));
      const auto broadcast_it = [&] {
        return start_broadcast(job.world(), 0, data.data(), data.data(), bytes,
                               {.use = find_algorithm(collective::broadcast, "shared")});
      };
      event first = broadcast_it();
      job.wait(first);
      job.world().barrier();
      std::vector<event> calls;
      if (job.rank() == 0) {
        for (unsigned i = 0; i < 200; ++i) calls.push_back(broadcast_it());
        for (event& each : calls) ended += each.empty() || each.record()->complete() ? 1 : 0;
      }
      job.world().barrier();
      if (job.rank() != 0)
        for (unsigned i = 0; i < 200; ++i) calls.push_back(broadcast_it());
      for (event& each : calls) job.wait(each);
      EXPECT_EQ(data.back(), 7u);
    };
    support::run_job(2, body);
    return ended;
  };
  const std::size_t small = ended_alone(8), larger = ended_alone(64);
  EXPECT_GT(small, 2 * larger);
  EXPECT_LE(small, shared_lane::slot_count);
  EXPECT_GT(small, shared_lane::slot_count - shared_lane::block_count / 2);
  EXPECT_LE(larger, shared_lane::block_count);
  EXPECT_GT(larger, shared_lane::block_count / 2);
}

// A block of a lane has no two lines for each of so many members. The leader gets the data of all
// by lanes, and hands them out by messages.
TEST(shared_lanes, of_a_host_with_hundreds_of_members_serve_leaders) {
#ifdef ATOLL_SANITIZED
  GTEST_SKIP() << "so many threads take too long";
#endif
  constexpr rank_id of_first_host = 257;
  const auto body = [](runtime& job) {
    const rank_id size = job.size();
    numbers from(size), to(size);
    for (rank_id member = 0; member < size; ++member) from[member] = value(job.rank(), member, 0);
    alltoall(job.world(), to.data(), from.data(), sizeof from[0],
             {.use = find_algorithm(collective::alltoall, "hierarchical")});
    for (rank_id member = 0; member < size; ++member)
      ASSERT_EQ(to[member], value(member, job.rank(), 0));
  };
  support::run_job(of_first_host + 1, body, {text("ATOLL_NEIGHBOURHOOD=", of_first_host)});
}

INSTANTIATE_TEST_SUITE_P(ranks, shared_lanes_of, testing::Values(2, 3, 5, 8));

}  // namespace
}  // namespace atl::coll
