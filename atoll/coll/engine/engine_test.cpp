// SPDX-License-Identifier: BSD-3-Clause
//
// The promises of the engine beside right results: many calls under way, on one team and on
// several, from several threads; no allocation in a program that repeats itself; bounded run-ahead;
// settings that force an algorithm.
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/engine/recommended.hpp>
#include <atoll/coll/engine/selection.hpp>
#include <atoll/coll/engine/table.hpp>
#include <atoll/coll/message/window.hpp>
#include <atoll/coll/tuned/candidates.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/memory/kernel_copy.hpp>
#include <atoll/trace/counters.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace atl::coll {
namespace {

const reduction sum_u64 = built_in(reduce_operation::add, data_type::u64);

/// A team of the ranks with the same remainder, in descending order.
std::unique_ptr<team> every_nth(runtime& job, rank_id n, std::uint64_t id) {
  const rank_id remainder = job.rank() % n;
  std::vector<rank_id> members;
  for (rank_id rank = job.size(); rank-- > 0;) {
    if (rank % n == remainder) members.push_back(rank);
  }
  auto made =
      std::make_unique<team>(job, team_options{.id = id + remainder, .members = rank_set(members)});
  made->open(nullptr);
  return made;
}

TEST(engine, has_many_calls_under_way_on_one_team) {
  support::run_job(5, [](runtime& job) {
    open(job);
    constexpr std::size_t count = 500;
    std::vector<std::uint64_t> values(count);
    std::vector<std::uint64_t> sums(count);
    std::vector<event> done(count);
    std::vector<event> summed(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto root = static_cast<rank_id>(i % job.size());
      values[i] = job.rank() == root ? 1000 * i + root : 0;
      sums[i] = i + job.rank();
      done[i] = start_broadcast(job.world(), root, &values[i], &values[i], 8);
      summed[i] = start_allreduce(job.world(), &sums[i], &sums[i], 1, sum_u64);
    }
    for (std::size_t i = count; i-- > 0;) {
      job.wait(done[i]);
      job.wait(summed[i]);
      EXPECT_EQ(values[i], 1000 * i + i % job.size());
      EXPECT_EQ(sums[i], job.size() * i + job.size() * (job.size() - 1) / 2);
    }
  });
}

TEST(engine, keeps_calls_of_different_sizes_and_teams_apart) {
  support::run_job(7, [](runtime& job) {
    engine& engine = open(job);
    const auto odd_and_even = every_nth(job, 2, 100);
    const auto thirds = every_nth(job, 3, 200);
    team* const teams[] = {&job.world(), odd_and_even.get(), thirds.get()};
    constexpr std::size_t rounds = 40;
    constexpr std::size_t sizes[] = {1, 100, 3000, 20'000};
    std::vector<std::vector<std::uint64_t>> data;
    std::vector<event> done;
    std::vector<std::uint64_t> wanted;
    for (std::size_t round = 0; round < rounds; ++round) {
      for (team* const team : teams) {
        const std::size_t count = sizes[(round + team->id()) % 4];
        data.emplace_back(count, round + job.rank());
        std::uint64_t sum = 0;
        for (rank_id i = 0; i < team->size(); ++i) sum += round + team->job_rank(i);
        wanted.push_back(sum);
        std::uint64_t* const values = data.back().data();
        done.push_back(start_allreduce(*team, values, values, count, sum_u64));
      }
    }
    for (std::size_t i = 0; i < done.size(); ++i) {
      job.wait(done[i]);
      for (const std::uint64_t each : data[i]) ASSERT_EQ(each, wanted[i]);
    }
    engine.forget(*odd_and_even);
    engine.forget(*thirds);
    job.world().barrier();
  });
}

TEST(engine, serves_several_threads_on_teams_of_their_own) {
  support::run_job(4, [](runtime& job) {
    engine& engine = open(job);
    constexpr int threads = 3;
    std::vector<std::unique_ptr<team>> teams;
    for (std::uint64_t i = 0; i < threads; ++i) teams.push_back(every_nth(job, 1, 300 + i));
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread) {
      running.emplace_back([&job, &team = *teams[static_cast<std::size_t>(thread)], thread] {
        std::vector<std::uint64_t> values(6000);
        for (std::uint64_t round = 0; round < 150; ++round) {
          const std::size_t count = round % 10 == 0 ? values.size() : 1 + round;
          std::fill_n(values.begin(), count, round + team.rank());
          if (round % 3 == 0) {
            event done = start_allreduce(team, values.data(), values.data(), count, sum_u64);
            job.wait(done);
          } else {
            allreduce(team, values.data(), values.data(), count, sum_u64);
          }
          ASSERT_EQ(values[count - 1], 4 * round + 6) << thread;
        }
      });
    }
    for (std::thread& each : running) each.join();
    for (const auto& each : teams) engine.forget(*each);
    job.world().barrier();
  });
}

TEST(engine, works_with_a_progress_thread) {
  support::run_job(3,
                   [](runtime& job) {
                     open(job);
                     std::vector<std::uint64_t> values(30'000);
                     for (std::uint64_t round = 0; round < 30; ++round) {
                       std::fill(values.begin(), values.end(), round);
                       event done = start_allreduce(job.world(), values.data(), values.data(),
                                                    values.size(), sum_u64);
                       while (!done.empty() && !done.record()->complete())
                         std::this_thread::yield();
                       job.wait(done);
                       ASSERT_EQ(values.back(), 3 * round);
                     }
                   },
                   {"ATOLL_PROGRESS_THREAD=1"});
}

// All ranks first bring their pools to the most that a round needs. The order of arrival changes
// that amount, so a few blocks may still be added later, but not one per call.
TEST(engine, allocates_nothing_when_it_repeats) {
  support::run_job(3, [](runtime& job) {
    engine& engine = open(job);
    std::vector<std::uint64_t> data(12'500);
    const auto round = [&] {
      for (const std::size_t count : {std::size_t{1}, std::size_t{500}, data.size()}) {
        for (int i = 0; i < 200; ++i) {
          broadcast(job.world(), 0, data.data(), data.data(), 8 * count);
          allreduce(job.world(), data.data(), data.data(), count, sum_u64);
        }
      }
    };
    round();
    job.world().barrier();
    const std::uint64_t initial = engine.allocations();
    for (int i = 0; i < 3; ++i) round();
    EXPECT_LE(engine.allocations() - initial, 20u) << "in 3600 calls, after " << initial;
  });
}

/// Rank 0 broadcasts by messages while rank 1 is far behind: it could send all before rank 1
/// begins. `calls_before`: as if this many had been made already.
void run_ahead(std::uint64_t calls_before) {
  const auto body = [=](runtime& job) {
    engine& engine = open(job);
    engine.assume_messaging_calls(job.world(), calls_before);
    constexpr std::size_t calls = 4000;
    std::vector<std::byte> data(4096);
    if (job.rank() == 1) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
      while (std::chrono::steady_clock::now() < end) job.progress();
    }
    for (std::size_t i = 0; i < calls; ++i) {
      broadcast(job.world(), 0, data.data(), data.data(), data.size());
    }
    // Early messages are two blocks each; without a bound there could be thousands.
    EXPECT_LE(engine.allocations(), 2 * 128 + 40u);
  };
  support::run_job(2, body, {"ATOLL_COLL_BROADCAST=tree"});
}

TEST(engine, bounds_how_far_a_member_runs_ahead) { run_ahead(0); }

// A program that broadcasts without a pause makes so many calls in less than an hour.
TEST(engine, bounds_how_far_a_member_runs_ahead_beyond_32_bits_of_calls) {
  run_ahead((std::uint64_t{1} << 32) - 64);
}

/// Sends short messages to `target` until there is no room for one more.
void fill_ring(runtime& job, rank_id target, handler_id handler) {
  while (job.primordial().request({.target = target, .handler = handler}, true)) {
  }
}

void ignore(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t) {}

/// The context of the callback in the test below.
struct callback_state {
  team& members;
  std::uint64_t value = 1;
  event done = {};
  std::atomic<bool> ran = false;
};

void start_collective(void* context, am_token& token, const std::uint32_t*, unsigned, void*,
                      std::size_t) {
  callback_state& state = *static_cast<callback_state*>(context);
  ASSERT_TRUE(token.may_leave());
  const outside_handler left;
  state.done = start_allreduce(state.members, &state.value, &state.value, 1, sum_u64);
  state.ran.store(true, std::memory_order_release);
}

// In memory that the other rank has not mapped, each block is one copy of the kernel, unless the
// machine or the setting forbids it, the ranks share cores or are on two hosts, or the receiver
// lives on when peers are lost; then it comes in pieces.
TEST(engine, copies_large_blocks_through_the_kernel) {
  const auto copies = [] {
    return trace::read()[static_cast<std::size_t>(trace::counter::kernel_copies)];
  };
  bool may_copy = memory::try_kernel_copy() == 0;
  const auto copies_of_job = [&](const std::string& mode, bool lives_on = false) {
    std::uint64_t counted = 0;
    const auto body = [&](runtime& job) {
      constexpr std::size_t block = 25'000;
      const std::vector<std::uint64_t> contribution(block, 10 + job.rank());
      std::vector<std::uint64_t> all(2 * block);
      if (lives_on) job.on_peer_lost({.run = [](void*, rank_id, std::string_view) noexcept {}});
      job.world().barrier();
      const std::uint64_t before = copies();
      job.world().barrier();
      allgather(job.world(), all.data(), contribution.data(), block * sizeof all[0]);
      EXPECT_EQ(std::count(all.begin(), all.begin() + block, 10u), std::ptrdiff_t{block});
      EXPECT_EQ(std::count(all.begin() + block, all.end(), 11u), std::ptrdiff_t{block});
      job.world().barrier();
      if (job.rank() == 0) {
        counted = copies() - before;
        may_copy = may_copy && job.is_neighbour(1) && !job.is_oversubscribed();
      }
    };
    support::run_job(2, body, {"ATOLL_COLL_ALLGATHER=linear", "ATOLL_KERNEL_COPY=" + mode});
    return counted;
  };
  EXPECT_EQ(copies_of_job("never"), 0u);
  const std::uint64_t counted = copies_of_job("auto");
  EXPECT_EQ(counted, may_copy ? 2u : 0u);
  EXPECT_EQ(copies_of_job("auto", true), 0u);
}

// Between hosts each block is one put, where the network can lend memory; not where the
// receiver lives on when peers are lost, or puts are to go by messages.
TEST(engine, puts_large_blocks_between_hosts) {
  bool lends = false;
  const auto puts_of_job = [&](const char* path, bool lives_on, std::size_t block = 25'000) {
    std::uint64_t counted = 0;
    const auto body = [&](runtime& job) {
      const transport::transport* const network = core_access::first_network(job);
      if (network == nullptr) return;
      const std::vector<std::uint64_t> contribution(block, 10 + job.rank());
      std::vector<std::uint64_t> all(2 * block);
      if (lives_on) job.on_peer_lost({.run = [](void*, rank_id, std::string_view) noexcept {}});
      job.world().barrier();
      const std::uint64_t before = network->describe().counts->transfers;
      allgather(job.world(), all.data(), contribution.data(), block * sizeof all[0]);
      EXPECT_EQ(std::count(all.begin(), all.begin() + block, 10u),
                static_cast<std::ptrdiff_t>(block));
      EXPECT_EQ(std::count(all.begin() + block, all.end(), 11u),
                static_cast<std::ptrdiff_t>(block));
      job.world().barrier();
      if (job.rank() != 0) return;
      counted = network->describe().counts->transfers - before;
      lends = network->describe().lends && !job.is_neighbour(1);
    };
    support::run_job(2, body, {"ATOLL_COLL_ALLGATHER=linear", path});
    return counted;
  };
  EXPECT_EQ(puts_of_job("ATOLL_RMA_PATH=am", false), 0u);
  if (!lends) GTEST_SKIP() << "no network that lends memory joins these ranks";
  EXPECT_EQ(puts_of_job("ATOLL_RMA_PATH=direct", false), 1u);
  EXPECT_EQ(puts_of_job("ATOLL_RMA_PATH=direct", true), 0u);
  EXPECT_EQ(puts_of_job("ATOLL_RMA_PATH=direct", false, eager_bytes_between_hosts / 8), 0u);
  EXPECT_EQ(puts_of_job("ATOLL_RMA_PATH=direct", false, eager_bytes_between_hosts / 8 + 1), 1u);
  // Two puts of 256 KiB and a rest.
  EXPECT_EQ(puts_of_job("ATOLL_RMA_PATH=direct", false, 2 * transport::loan::put_bytes / 8 + 1),
            3u);
}

// Rank 1 lends memory, and rank 0 has been told to transfer by messages alone.
TEST(engine, a_rank_without_transfers_puts_into_no_loan) {
  constexpr std::size_t block = 25'000;
  std::atomic<std::uint64_t> puts = 0;
  std::atomic<bool> lends = false;
  support::thread_rendezvous rendezvous(2);
  const auto rank = [&](rank_id self, const char* transfers) {
    runtime job({.configuration = support::settings_of(
                     {"ATOLL_COLL_ALLGATHER=linear", text("ATOLL_OFI_TRANSFERS=", transfers)}),
                 .boot = std::make_unique<support::thread_bootstrap>(rendezvous, self)});
    const transport::transport* const network = core_access::first_network(job);
    if (network == nullptr) return;
    const std::vector<std::uint64_t> contribution(block, 10 + self);
    std::vector<std::uint64_t> all(2 * block);
    job.world().barrier();
    const std::uint64_t before = network->describe().counts->transfers;
    allgather(job.world(), all.data(), contribution.data(), block * sizeof all[0]);
    EXPECT_EQ(std::count(all.begin(), all.begin() + block, 10u), std::ptrdiff_t{block});
    EXPECT_EQ(std::count(all.begin() + block, all.end(), 11u), std::ptrdiff_t{block});
    job.world().barrier();
    puts += network->describe().counts->transfers - before;
    if (network->describe().lends && !job.is_neighbour(1 - self)) lends = true;
  };
  std::thread first([&] { rank(0, "am"); });
  std::thread second([&] { rank(1, "auto"); });
  first.join();
  second.join();
  if (!lends) GTEST_SKIP() << "no network that lends memory joins these ranks";
  EXPECT_EQ(puts, 0u);
}

// A network that cannot lend its memory is asked once; then blocks come in pieces.
TEST(engine, sends_pieces_where_a_network_refuses_to_lend) {
  bool lends = false;
  testing::internal::CaptureStderr();
  const auto body = [&](runtime& job) {
    constexpr std::size_t block = 25'000;
    const transport::transport* const network = core_access::first_network(job);
    if (network == nullptr) return;
    if (job.rank() == 0) lends = network->describe().lends && !job.is_neighbour(1);
    const std::vector<std::uint64_t> contribution(block, 10 + job.rank());
    std::vector<std::uint64_t> all(2 * block);
    for (int round = 0; round < 3; ++round) {
      allgather(job.world(), all.data(), contribution.data(), block * sizeof all[0]);
    }
    EXPECT_EQ(std::count(all.begin(), all.begin() + block, 10u), std::ptrdiff_t{block});
    EXPECT_EQ(std::count(all.begin() + block, all.end(), 11u), std::ptrdiff_t{block});
    job.world().barrier();
  };
  support::run_job(2, body, {"ATOLL_COLL_ALLGATHER=linear", "ATOLL_OFI_MEMORY=refused"});
  const std::string told = testing::internal::GetCapturedStderr();
  if (!lends) GTEST_SKIP() << "no network that lends memory joins these ranks";
  std::size_t warnings = 0;
  for (auto at = told.find("come in pieces"); at != std::string::npos;
       at = told.find("come in pieces", at + 1)) {
    ++warnings;
  }
  EXPECT_EQ(warnings, 2u) << told;  // one on each rank
}

// Rank 1 leaves its ring full for a while, so that messages of rank 0's collective are refused
// again and again. A callback that progress runs meanwhile on rank 0 may start another collective.
TEST(engine, never_waits_for_room_while_it_holds_its_lock) {
  constexpr handler_id ignored = 200, callback = 201;
  std::atomic<bool> silent = false, full = false, started = false;
  const auto wait_for = [](const std::atomic<bool>& flag) {
    while (!flag.load(std::memory_order_acquire)) std::this_thread::yield();
  };
  const auto body = [&](runtime& job) {
    engine& engine = open(job);
    const auto other = every_nth(job, 1, 500);
    callback_state state{.members = *other};
    job.primordial().handlers().set(ignored, {.run = ignore});
    job.primordial().handlers().set(callback, {.run = start_collective, .context = &state});
    job.world().barrier();
    std::vector<std::uint64_t> data(100, job.rank());
    event done;
    if (job.rank() == 0) {
      wait_for(silent);
      fill_ring(job, 1, ignored);
      done = start_broadcast(job.world(), 0, data.data(), data.data(), 800);
      full.store(true, std::memory_order_release);
      job.wait_until([&] { return state.ran.load(std::memory_order_acquire); });
      started.store(true, std::memory_order_release);
    } else {
      silent.store(true, std::memory_order_release);  // from here on it does not poll
      wait_for(full);
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // rank 0 tries many times
      job.primordial().request({.target = 0,
                                .kind = am_category::medium,
                                .handler = callback,
                                .payload = data.data(),
                                .bytes = 8});
      wait_for(started);
      done = start_broadcast(job.world(), 0, data.data(), data.data(), 800);
      state.done = start_allreduce(*other, &state.value, &state.value, 1, sum_u64);
    }
    job.wait(done);
    job.wait(state.done);
    EXPECT_EQ(data[99], 0u);
    EXPECT_EQ(state.value, 2u);
    engine.forget(*other);
    job.world().barrier();
  };
  support::run_job(2, body, {"ATOLL_COLL_BROADCAST=tree"});
}

TEST(selection, forces_an_algorithm_by_a_setting) {
  support::run_job(3,
                   [](runtime& job) {
                     engine& engine = open(job);
                     EXPECT_EQ(engine.chooser().forced(),
                               "ATOLL_COLL_BROADCAST=chain ATOLL_COLL_ALLGATHER=bruck:3 ");
                     std::uint64_t value = job.rank();
                     broadcast(job.world(), 2, &value, &value, sizeof value);
                     EXPECT_EQ(value, 2u);
                     std::uint64_t each[3] = {};
                     value = job.rank() + 5;
                     allgather(job.world(), each, &value, sizeof value);
                     EXPECT_EQ(each[0] + each[1] + each[2], 18u);
                   },
                   {"ATOLL_COLL_BROADCAST=chain", "ATOLL_COLL_ALLGATHER=bruck:3"});
}

// Each piece takes a message that asks for it and one that brings it, which tells how the data were
// cut.
TEST(selection, cuts_data_as_a_setting_says) {
  const auto requests = [] {
    return trace::read()[static_cast<std::size_t>(trace::counter::requests)];
  };
  const auto requests_of = [&](const std::string& algorithm) {
    std::uint64_t counted = 0;
    const auto body = [&](runtime& job) {
      open(job);
      std::vector<std::uint64_t> data(65536, job.rank());
      job.world().barrier();
      const std::uint64_t before = requests();
      job.world().barrier();
      broadcast(job.world(), 0, data.data(), data.data(), data.size() * sizeof data[0]);
      EXPECT_EQ(data.back(), 0u);
      job.world().barrier();
      if (job.rank() == 0) counted = requests() - before;
      job.world().barrier();
    };
    support::run_job(2, body, {"ATOLL_COLL_BROADCAST=" + algorithm});
    return counted;
  };
  EXPECT_EQ(requests_of("chain/65536"), 16u);
  EXPECT_EQ(requests_of("chain/32768"), 32u);
}

// A chain over three hosts cuts smaller than one over two, and than a tree. Pieces come in messages
// of up to 64 KiB, so the number of messages tells their size, but for those of the barriers.
TEST(selection, cuts_smaller_in_chains_over_three_hosts) {
  const auto requests_of = [](rank_id ranks, const std::string& algorithm) {
    std::uint64_t counted = 0;
    const auto requests = [] {
      return trace::read()[static_cast<std::size_t>(trace::counter::requests)];
    };
    const auto body = [&](runtime& job) {
      std::vector<std::uint64_t> data(524'288, job.rank());
      job.world().barrier();
      const std::uint64_t before = requests();
      broadcast(job.world(), 0, data.data(), data.data(), data.size() * sizeof data[0]);
      EXPECT_EQ(data.back(), 0u);
      job.world().barrier();
      if (job.rank() == 0) counted = requests() - before;
      job.world().barrier();
    };
    support::run_job(ranks, body, {"ATOLL_NEIGHBOURHOOD=1", "ATOLL_COLL_BROADCAST=" + algorithm});
    return static_cast<double>(counted);
  };
  constexpr double of_barriers = 14;
  EXPECT_NEAR(requests_of(3, "chain"), requests_of(3, "chain/131072"), of_barriers);
  EXPECT_NEAR(requests_of(2, "chain"), requests_of(2, "chain/262144"), of_barriers);
  EXPECT_NEAR(requests_of(3, "tree"), requests_of(3, "tree/262144"), of_barriers);
  EXPECT_GT(requests_of(3, "chain"), requests_of(3, "chain/262144") + of_barriers);
}

TEST(selection, tries_pieces_of_half_and_of_four_times_the_usual_size) {
  const auto names_of = [](runtime& job) {
    call asked;
    asked.kind = collective::broadcast;
    asked.bytes = 1 << 20;
    asked.size = job.size();
    asked.whole_team = &job.world();
    asked.one_host = job.world().hosts().one_host();
    std::string names;
    for (const choice& base : {choice{.use = find_algorithm(asked.kind, "tree"), .radix = 2},
                               choice{.use = find_algorithm(asked.kind, "chain")}}) {
      for (const choice& each : variants_of(base, asked)) names += name_of(each) + " ";
    }
    return names;
  };
  const auto body = [&](runtime& job) {
    EXPECT_EQ(names_of(job),
              "tree:2/131072 tree:2/1048576 tree:2/depth=2 "
              "chain/65536 chain/524288 chain/depth=2 chain/depth=16 ");
  };
  support::run_job(3, body, {"ATOLL_NEIGHBOURHOOD=1"});
  const auto body_on_one_host = [&](runtime& job) {
    EXPECT_EQ(names_of(job),
              "tree:2/32768 tree:2/262144 tree:2/depth=2 tree:2/depth=16 "
              "chain/32768 chain/262144 chain/depth=2 chain/depth=16 ");
  };
  support::run_job(3, body_on_one_host);
}

// A flat tree is among the candidates where no other radix makes one.
TEST(selection, tries_trees_from_binomial_to_flat) {
  const auto trees_of = [](rank_id ranks) {
    std::string names;
    const auto body = [&](runtime& job) {
      if (job.rank() != 0) return;
      call asked;
      asked.kind = collective::broadcast;
      asked.bytes = 8;
      asked.size = job.size();
      asked.whole_team = &job.world();
      asked.one_host = true;
      for (const choice& each : candidates_of(asked, recommended(asked))) {
        if (each.use->name == "tree") names += name_of(each) + " ";
      }
    };
    support::run_job(ranks, body);
    return names;
  };
  EXPECT_EQ(trees_of(2), "tree:2 ");
  EXPECT_EQ(trees_of(5), "tree:2 tree:3 tree:4 ") << "radix 4 is flat for five";
  EXPECT_EQ(trees_of(6), "tree:2 tree:3 tree:4 tree:6 ");
  EXPECT_EQ(trees_of(8), "tree:2 tree:3 tree:4 tree:8 ");
}

// The parameters that make a difference for a call, and no others.
TEST(selection, tries_other_eager_limits_and_leaders_where_they_count) {
  const auto names_of = [](runtime& job, collective kind, std::string_view name,
                           std::size_t bytes) {
    call asked;
    asked.kind = kind;
    asked.bytes = bytes;
    asked.size = job.size();
    asked.whole_team = &job.world();
    asked.one_host = job.world().hosts().one_host();
    const algorithm* const use = find_algorithm(kind, name);
    std::string names;
    for (const choice& each : variants_of({.use = use, .radix = use->radix}, asked)) {
      names += name_of(each) + " ";
    }
    return names;
  };
  const auto over_hosts = [&](runtime& job) {
    const auto of = [&](std::string_view name, std::size_t bytes) {
      return names_of(job, collective::allreduce, name, bytes);
    };
    EXPECT_EQ(of("recursive_doubling", 1024), "");
    EXPECT_EQ(of("recursive_doubling", 2048), "recursive_doubling/eager=1024 ");
    EXPECT_EQ(of("recursive_doubling", 65537), "");
    EXPECT_EQ(of("hierarchical", 1024), "hierarchical/leaders=2 ");
    EXPECT_EQ(of("hierarchical", 4096), "hierarchical/eager=1024 hierarchical/leaders=2 ");
    EXPECT_EQ(of("scatter_allgather", 4 * 65537), "scatter_allgather/depth=1 ");
  };
  support::run_job(4, over_hosts, {"ATOLL_NEIGHBOURHOOD=2"});
  const auto on_one_host = [&](runtime& job) {
    call asked;
    asked.kind = collective::alltoall;
    asked.bytes = 20'000;
    asked.size = job.size();
    asked.whole_team = &job.world();
    asked.one_host = true;
    const auto other = other_protocols_of({.use = find_algorithm(asked.kind, "pairwise")}, asked);
    ASSERT_EQ(other.size(), 1u);
    EXPECT_EQ(name_of(other[0]), "pairwise/eager=65536");
    EXPECT_TRUE(other_protocols_of(other[0], asked).empty());
    EXPECT_TRUE(variants_of(other[0], asked).empty()) << "no depth of what comes when it comes";
    EXPECT_EQ(names_of(job, collective::allgather, "linear", 32768), "linear/eager=65536 ");
    EXPECT_EQ(names_of(job, collective::allgather, "ring", 100'000), "ring/depth=1 ring/depth=8 ");
    EXPECT_EQ(names_of(job, collective::allgather, "ring", 20'000), "ring/depth=1 ring/depth=8 ")
        << "a neighbour would get three large messages of a call at once";
    EXPECT_EQ(names_of(job, collective::allgather, "ring", 2048), "ring/eager=1024 ");
    EXPECT_EQ(names_of(job, collective::allgather, "shared", 100'000), "");
  };
  support::run_job(4, on_one_host);
}

std::uint64_t requests_so_far() {
  return trace::read()[static_cast<std::size_t>(trace::counter::requests)];
}

/// One member begins a call whose others have not begun yet.
struct lone_begin {
  rank_id ranks;
  rank_id member;
  std::size_t bytes;       // of a block, or the whole
  const char* hosts = "";  // as ATOLL_NEIGHBOURHOOD; empty: one
};

/// Every member contributes its rank and one more in each element; root 0.
void expect_result(collective kind, runtime& job, const std::vector<std::uint64_t>& to,
                   std::size_t count) {
  const std::uint64_t sum_to_here = (job.rank() + 1) * (job.rank() + 2) / 2;
  const std::uint64_t sum = job.size() * (job.size() + 1) / 2;
  const bool has_all = job.rank() == 0 || kind == collective::allgather ||
                       kind == collective::alltoall || kind == collective::allreduce;
  if (kind == collective::broadcast) {
    EXPECT_EQ(to[count - 1], 1u);
  } else if (kind == collective::scan) {
    EXPECT_EQ(to[count - 1], sum_to_here);
  } else if (has_all && (kind == collective::reduce || kind == collective::allreduce)) {
    EXPECT_EQ(to[count - 1], sum);
  } else if (has_all) {
    EXPECT_EQ(to.back(), job.size());
  }
}

/// How many messages it sends until it waits for the others. The call is then finished and checked.
std::uint64_t messages_of(collective kind, const std::string& algorithm, const lone_begin& given) {
  std::uint64_t counted = 0;
  std::atomic<bool> has_counted = false;
  const auto body = [&](runtime& job) {
    open(job);
    const std::size_t count = given.bytes / 8;
    std::vector<std::uint64_t> from(count * job.size(), job.rank() + 1), to(from.size());
    const choice use = parse_choice(kind, algorithm, "test");
    job.world().barrier();
    while (job.rank() != given.member && !has_counted.load(std::memory_order_acquire)) {
      std::this_thread::yield();
    }
    const arguments request{.kind = kind,
                            .from = reinterpret_cast<const std::byte*>(from.data()),
                            .to = reinterpret_cast<std::byte*>(to.data()),
                            .bytes = given.bytes,
                            .count = count,
                            .combine = sum_u64};
    const std::uint64_t before = requests_so_far();
    event done = open(job).start(job.world(), request, use);
    if (job.rank() == given.member) {
      counted = requests_so_far() - before;
      has_counted.store(true, std::memory_order_release);
    }
    job.wait(done);
    job.world().barrier();
    expect_result(kind, job, to, count);
  };
  std::vector<std::string> variables{"ATOLL_KERNEL_COPY=never"};
  if (*given.hosts != '\0') variables.push_back(text("ATOLL_NEIGHBOURHOOD=", given.hosts));
  support::run_job(given.ranks, body, variables);
  return counted;
}

// A receiver asks for as many pieces or blocks at a time as the choice says, a message each.
TEST(parameters, depth_is_the_number_of_pieces_that_may_arrive) {
  constexpr lone_begin sixteen_pieces{.ranks = 2, .member = 1, .bytes = 524'288};
  for (const char* const each : {"chain/32768", "tree:2/32768"}) {
    const auto of = [&](const std::string& depth) {
      return messages_of(collective::broadcast, each + depth, sixteen_pieces);
    };
    EXPECT_EQ(of(""), depth_of_pieces) << each;
    EXPECT_EQ(of("/depth=1"), 1u) << each;
    EXPECT_EQ(of("/depth=9"), 9u) << each;
    EXPECT_EQ(of("/depth=64"), 16u) << each;
  }
  EXPECT_EQ(messages_of(collective::scan, "chain/32768/depth=7", sixteen_pieces), 7u);
  constexpr lone_begin root{.ranks = 2, .member = 0, .bytes = 524'288};
  EXPECT_EQ(messages_of(collective::reduce, "tree:2/32768/depth=7", root), 7u);
  EXPECT_EQ(messages_of(collective::allreduce, "tree:2/32768/depth=7", root), 7u);
}

// Four pieces of 4 MiB from one child fill the memory, and are as many as usual.
TEST(parameters, depth_of_a_reduction_is_bounded_by_its_memory) {
  constexpr lone_begin six_pieces{.ranks = 2, .member = 0, .bytes = std::size_t{24} << 20};
  EXPECT_EQ(messages_of(collective::reduce, "tree:2/4194304/depth=64", six_pieces), 4u);
  EXPECT_EQ(window_in_memory(64, 0), 64u);
  EXPECT_EQ(window_in_memory(64, 65536), 64u);
  EXPECT_EQ(window_in_memory(64, std::size_t{1} << 20), 16u);
  EXPECT_EQ(window_in_memory(64, std::size_t{30} << 20), depth_of_pieces);
  EXPECT_EQ(window_in_memory(2, std::size_t{30} << 20), 2u);
}

TEST(parameters, depth_is_the_number_of_blocks_that_may_arrive) {
  constexpr lone_begin blocks{.ranks = 7, .member = 0, .bytes = 40'000};
  constexpr lone_begin whole{.ranks = 7, .member = 0, .bytes = 280'000};
  const auto expect = [](collective kind, const std::string& name, const lone_begin& given,
                         unsigned usual) {
    EXPECT_EQ(messages_of(kind, name, given), usual) << name;
    EXPECT_EQ(messages_of(kind, name + "/depth=1", given), 1u) << name;
    EXPECT_EQ(messages_of(kind, name + "/depth=5", given), 5u) << name;
    EXPECT_EQ(messages_of(kind, name + "/depth=30", given), 6u) << name;
  };
  expect(collective::alltoall, "pairwise", blocks, depth_of_pieces);
  expect(collective::gather, "linear", blocks, depth_of_pieces);
  expect(collective::allgather, "ring", blocks, depth_of_rings);
  expect(collective::reduce, "scatter_gather", whole, depth_of_blocks);
  expect(collective::allreduce, "scatter_allgather", whole, depth_of_blocks);
}

// An eager message leaves before its receiver has begun, another one does not.
TEST(parameters, eager_limit_says_which_messages_wait_for_their_receiver) {
  const auto leave = [](const std::string& algorithm, std::size_t bytes, const char* hosts = "") {
    const lone_begin given{.ranks = 2, .member = 0, .bytes = bytes, .hosts = hosts};
    return messages_of(collective::broadcast, algorithm, given) == 1;
  };
  EXPECT_TRUE(leave("tree", 16'000));
  EXPECT_FALSE(leave("tree", 17'000));
  EXPECT_FALSE(leave("tree/eager=1024", 16'000));
  EXPECT_TRUE(leave("tree/eager=1024", 1024));
  EXPECT_TRUE(leave("tree/eager=65536", 65'528));
  EXPECT_FALSE(leave("tree/eager=65536", 65'536)) << "a whole piece";
  EXPECT_FALSE(leave("tree/32768/eager=65536", 32'768)) << "a whole piece";
  EXPECT_TRUE(leave("tree", 65'536, "1"));
  EXPECT_FALSE(leave("tree/eager=8192", 65'536, "1"));
}

// Two leaders per host exchange half of the data each: twice the messages, as many bytes.
TEST(parameters, leaders_share_what_goes_between_hosts) {
  constexpr std::uint64_t calls = 20;
  struct traffic {
    double messages, bytes;
  };
  const auto traffic_of = [&](const std::string& algorithm, rank_id ranks) {
    traffic counted{};
    const auto bytes_so_far = [] {
      return trace::read()[static_cast<std::size_t>(trace::counter::am_bytes)];
    };
    const auto body = [&](runtime& job) {
      open(job);
      std::vector<std::uint64_t> values(1024), sums(1024);
      std::iota(values.begin(), values.end(), job.rank());
      job.world().barrier();
      const std::uint64_t messages = requests_so_far(), bytes = bytes_so_far();
      job.world().barrier();
      for (std::uint64_t i = 0; i < calls; ++i) {
        allreduce(job.world(), sums.data(), values.data(), sums.size(), sum_u64);
      }
      EXPECT_EQ(sums[1000], job.size() * 1000 + job.size() * (job.size() - 1) / 2);
      job.world().barrier();
      if (job.rank() == 0) {
        counted = {static_cast<double>(requests_so_far() - messages),
                   static_cast<double>(bytes_so_far() - bytes)};
      }
      job.world().barrier();
    };
    support::run_job(ranks, body, {"ATOLL_NEIGHBOURHOOD=3", "ATOLL_COLL_ALLREDUCE=" + algorithm});
    return counted;
  };
  constexpr double of_barriers = 14, bytes_per_call = 2 * 8192;
  const traffic one = traffic_of("hierarchical", 6), two = traffic_of("hierarchical/leaders=2", 6);
  EXPECT_NEAR(two.messages - one.messages, 2 * calls, of_barriers);
  EXPECT_NEAR(one.bytes, calls * bytes_per_call, 1000);
  EXPECT_NEAR(two.bytes, calls * bytes_per_call, 1000);
  const traffic three = traffic_of("hierarchical/leaders=4", 6);
  EXPECT_NEAR(three.messages - one.messages, 4 * calls, of_barriers) << "a host has three members";
  const traffic lone = traffic_of("hierarchical/leaders=2", 4);  // one host has a single member
  EXPECT_NEAR(lone.messages, one.messages, of_barriers);
}

// The lanes' turns bound how many calls may be under way. Leaders share them: a stripe needs its
// part.
TEST(parameters, leaders_reserve_no_more_turns_than_their_stripes_need) {
  const auto body = [](runtime& job) {
    engine& engine = open(job);
    std::vector<std::uint64_t> values(32768, job.rank() + 1), sums(values.size());
    const std::size_t bytes = values.size() * sizeof values[0];
    const auto turns_of = [&](unsigned leaders, bool reduces) {
      const std::uint64_t before = engine.turns_reserved(job.world());
      if (reduces) {
        const algorithm* const use = find_algorithm(collective::allreduce, "hierarchical");
        allreduce(job.world(), sums.data(), values.data(), values.size(), sum_u64,
                  {.use = use, .leaders = leaders});
        EXPECT_EQ(sums.back(), 36u);
      } else {
        const algorithm* const use = find_algorithm(collective::broadcast, "hierarchical");
        broadcast(job.world(), 0, sums.data(), values.data(), bytes,
                  {.use = use, .leaders = leaders});
        EXPECT_EQ(sums.back(), 1u);
      }
      return engine.turns_reserved(job.world()) - before;
    };
    EXPECT_EQ(turns_of(0, true), 2 * 16u);  // a block of 16 KiB takes a turn in each of two phases
    EXPECT_EQ(turns_of(4, true), 2 * 16u);
    EXPECT_EQ(turns_of(0, false), 16u);
    EXPECT_EQ(turns_of(4, false), 16u);
  };
  support::run_job(8, body, {"ATOLL_NEIGHBOURHOOD=4"});
}

// Of a host with many members and others with few, only those are kept that may lead.
TEST(parameters, only_members_that_may_lead_are_listed) {
  const auto body = [](runtime& job) {
    engine& engine = open(job);
    (void)engine;
    team_state state;
    call asked;
    asked.whole_team = &job.world();
    asked.state = &state;
    EXPECT_EQ(hosts_of(asked).leaders, (std::vector<rank_id>{0, 1, 6, 7}));
  };
  support::run_job(8, body, {"ATOLL_NEIGHBOURHOOD=6"});
}

TEST(selectionDeathTest, asserts_the_parameters_that_a_caller_asks_for) {
  const auto use = [](const choice& wrong) {
    support::run_job(2, [&](runtime& job) {
      open(job);
      std::uint64_t value = 1;
      broadcast(job.world(), 0, &value, &value, sizeof value, wrong);
    });
  };
  const algorithm* const tree = find_algorithm(collective::broadcast, "tree");
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(use({.use = tree, .radix = 2, .eager_bytes = eager_bytes_max + 1}), "eager limit");
  EXPECT_DEATH(use({.use = tree, .radix = 2, .leaders = 2}), "number of leaders");
}

TEST(selection, tells_how_many_leaders_the_hosts_can_have) {
  testing::internal::CaptureStderr();
  support::run_job(7,
                   [](runtime& job) {
                     open(job);
                     std::uint64_t value = 1;
                     for (int i = 0; i < 3; ++i) allreduce(job.world(), &value, &value, 1, sum_u64);
                   },
                   {"ATOLL_COLL_EXPLAIN=1", "ATOLL_NEIGHBOURHOOD=5",
                    "ATOLL_COLL_ALLREDUCE=hierarchical/leaders=4"});
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find("2 hosts: hierarchical/leaders=2 ("), std::string::npos) << report;
  const auto noted =
      report.find("with 4 leaders, but the smallest of 2 hosts of a team has 2 of its 7 members");
  ASSERT_NE(noted, std::string::npos) << report;
  EXPECT_EQ(report.find("leaders, but the smallest", noted + 20), std::string::npos) << report;
}

TEST(selection, falls_back_where_a_forced_algorithm_cannot_be_used) {
  support::run_job(3,
                   [](runtime& job) {
                     open(job);
                     std::uint64_t value = job.rank();
                     broadcast(job.world(), 1, &value, &value, sizeof value);
                     EXPECT_EQ(value, 1u);
                   },
                   {"ATOLL_COLL_BROADCAST=hierarchical"});
}

TEST(selection, explains_its_choice_once_per_kind_of_call) {
  testing::internal::CaptureStderr();
  support::run_job(2,
                   [](runtime& job) {
                     open(job);
                     std::uint64_t value = job.rank();
                     for (int i = 0; i < 5; ++i) allreduce(job.world(), &value, &value, 1, sum_u64);
                   },
                   {"ATOLL_COLL_EXPLAIN=1", "ATOLL_COLL_ALLREDUCE=tree:3"});
  const std::string report = testing::internal::GetCapturedStderr();
  const auto first = report.find("allreduce of 8 B on 2 members, 1 host: tree:3");
  ASSERT_NE(first, std::string::npos) << report;
  EXPECT_NE(report.find("forced by a setting"), std::string::npos) << report;
  EXPECT_EQ(report.find("allreduce of", first + 1), std::string::npos) << report;
}

void expect_refusal(collective kind, std::string_view given, std::string_view words) {
  try {
    parse_choice(kind, given, "ATOLL_COLL_X");
    FAIL() << given << " was accepted";
  } catch (const error& refused) {
    EXPECT_NE(std::string_view(refused.what()).find(words), std::string_view::npos)
        << refused.what();
  }
}

TEST(selection, refuses_unknown_names_with_the_list_of_known_ones) {
  expect_refusal(collective::broadcast, "tre",
                 "tree[:radix][/bytes][/depth=pieces][/eager=bytes], "
                 "chain[/bytes][/depth=pieces][/eager=bytes], scatter_allgather");
  expect_refusal(collective::broadcast, "tre",
                 "hierarchical[/eager=bytes][/leaders=members], shared");
  expect_refusal(collective::alltoall, "", "pairwise[/depth=pieces][/eager=bytes], bruck[:radix]");
  expect_refusal(collective::alltoall, "pairwise:4", "has none");
  expect_refusal(collective::broadcast, "tree:", "from 2 to");
  expect_refusal(collective::broadcast, "tree:1", "from 2 to");
  expect_refusal(collective::broadcast, "tree:4x", "from 2 to");
  expect_refusal(collective::broadcast, "tree:99999999999", "from 2 to");
  expect_refusal(collective::broadcast, "chain/", "from 32768 to");
  expect_refusal(collective::broadcast, "tree:4/1000", "from 32768 to");
  expect_refusal(collective::broadcast, "scatter_allgather/65536", "has none");
  expect_refusal(collective::broadcast, "chain/depth=0", "no such depth; give one from 1 to 64");
  expect_refusal(collective::broadcast, "chain/depth=65", "no such depth; give one from 1 to 64");
  expect_refusal(collective::broadcast, "hierarchical/depth=2", "hierarchical has none");
  expect_refusal(collective::broadcast, "chain/eager=", "no such eager limit; give one from 1 to");
  expect_refusal(collective::broadcast, "chain/eager=65537", "no such eager limit");
  expect_refusal(collective::broadcast, "shared/eager=100", "shared has none");
  expect_refusal(collective::broadcast, "hierarchical/leaders=5",
                 "number of leaders; give one from");
  expect_refusal(collective::broadcast, "chain/leaders=2", "chain has none");
  expect_refusal(collective::broadcast, "chain/width=2", "has such a word");
}

TEST(block_pool, gives_the_same_block_again_and_keeps_a_bounded_amount) {
  block_pool pool;
  void* const first = pool.take(100);
  void* const other = pool.take(100);
  EXPECT_NE(first, other);
  block_pool::give_back(first);
  EXPECT_EQ(pool.take(128), first);
  EXPECT_EQ(pool.allocations(), 2u);
  for (int i = 0; i < 3; ++i) block_pool::give_back(pool.take(std::size_t{256} << 20));
  EXPECT_EQ(pool.allocations(), 5u);  // too large to be kept
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(other) % 64, 0u);
  const scratch none(pool, 0);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(pool.allocations(), 5u);
}

}  // namespace
}  // namespace atl::coll
