// SPDX-License-Identifier: BSD-3-Clause
//
// The promises of the engine beside right results: many calls under way, on one team and on
// several, from several threads; no allocation in a program that repeats itself; bounded run-ahead.
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/engine/table.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/memory/kernel_copy.hpp>
#include <atoll/trace/counters.hpp>
#include <tests/support/memory_network.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
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

// All ranks first bring their pools to the most that a round needs. A rank that gets no core for a
// while lets others run ahead, whose messages take blocks, up to a limit: so only one of many
// rounds must add few. Blocks that are taken per call would be taken in each.
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
    std::uint64_t least = ~std::uint64_t{0};
    for (int i = 0; i < 6; ++i) {
      const std::uint64_t initial = engine.allocations();
      round();
      least = std::min(least, engine.allocations() - initial);
    }
    EXPECT_LE(least, 20u) << "in 1200 calls";
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
  const auto copies_of_job = [&](const std::string& mode, bool lives_on = false,
                                 const std::string& by = "") {
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
    support::run_job(2, body, {"ATOLL_COLL_ALLGATHER=linear" + by, "ATOLL_KERNEL_COPY=" + mode});
    return counted;
  };
  EXPECT_EQ(copies_of_job("never"), 0u);
  const std::uint64_t counted = copies_of_job("auto");
  EXPECT_EQ(counted, may_copy ? 2u : 0u);
  EXPECT_EQ(copies_of_job("auto", true), 0u);
  EXPECT_EQ(copies_of_job("never", false, "/by=get"), 0u);
  EXPECT_EQ(copies_of_job("auto", false, "/by=get"), may_copy ? 2u : 0u);
  EXPECT_EQ(copies_of_job("auto", true, "/by=get"), 0u);
}

// Between hosts each block is one put, or one get, where the network can lend memory; not where the
// lender lives on when peers are lost, or transfers are to go by messages.
TEST(engine, transfers_large_blocks_between_hosts) {
  bool lends = false;
  const auto transfers_of_job = [&](const std::string& algorithm, const char* path, bool lives_on,
                                    std::size_t block = 25'000) {
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
      EXPECT_EQ(std::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(block), 10u),
                static_cast<std::ptrdiff_t>(block));
      EXPECT_EQ(std::count(all.begin() + static_cast<std::ptrdiff_t>(block), all.end(), 11u),
                static_cast<std::ptrdiff_t>(block));
      job.world().barrier();
      EXPECT_EQ(open(job).mail().loans(), 0u);
      if (job.rank() != 0) return;
      counted = network->describe().counts->transfers - before;
      lends = network->describe().lends && !job.is_neighbour(1);
    };
    support::run_job(2, body, {"ATOLL_COLL_ALLGATHER=" + algorithm, path});
    return counted;
  };
  constexpr const char* direct = "ATOLL_RMA_PATH=direct";
  constexpr std::size_t largest_eager = eager_bytes_between_hosts / 8;
  for (const char* const each : {"linear", "linear/by=get"}) {
    SCOPED_TRACE(each);
    EXPECT_EQ(transfers_of_job(each, "ATOLL_RMA_PATH=am", false), 0u);
    if (!lends) GTEST_SKIP() << "no network that lends memory joins these ranks";
    EXPECT_EQ(transfers_of_job(each, direct, false), 1u);
    EXPECT_EQ(transfers_of_job(each, direct, true), 0u);
    EXPECT_EQ(transfers_of_job(each, direct, false, largest_eager), 0u);
    EXPECT_EQ(transfers_of_job(each, direct, false, largest_eager + 1), 1u);
    // Two whole ones and a rest.
    EXPECT_EQ(transfers_of_job(each, direct, false, 2 * transport::loan::put_bytes / 8 + 1), 3u);
  }
}

TEST(engine, asks_no_network_for_its_limits_when_it_lends_and_puts) {
  if (!foreign_variable("ATOLL_RANK").empty()) GTEST_SKIP() << "its ranks are threads";
  support::memory_network_state network(2);
  const auto body = [&](runtime& job) {
    constexpr std::size_t block = 25'000;
    const std::vector<std::uint64_t> contribution(block, 10 + job.rank());
    std::vector<std::uint64_t> all(2 * block);
    open(job);
    job.world().barrier();
    const std::size_t asked = network.counted().descriptions;
    for (int round = 0; round < 3; ++round)
      allgather(job.world(), all.data(), contribution.data(), block * sizeof all[0]);
    EXPECT_EQ(std::count(all.begin(), all.begin() + block, 10u), std::ptrdiff_t{block});
    EXPECT_EQ(std::count(all.begin() + block, all.end(), 11u), std::ptrdiff_t{block});
    job.world().barrier();
    EXPECT_EQ(network.counted().descriptions, asked);
  };
  support::run_over_memory(network, body, "ATOLL_COLL_ALLGATHER=linear");
  EXPECT_EQ(network.counted().puts_to_loans, 2u * 3);
}

// The choice of a mover decides which of the two sides transfers, or copies.
TEST(engine, moves_large_messages_by_the_side_that_is_chosen) {
  if (!foreign_variable("ATOLL_RANK").empty()) GTEST_SKIP() << "its ranks are threads";
  constexpr std::size_t bytes = 200'000;
  const auto body = [](runtime& job) {
    open(job);
    std::vector<std::byte> data(bytes, std::byte(1 + job.rank()));
    broadcast(job.world(), 0, data.data(), data.data(), bytes);
    EXPECT_EQ(std::ranges::count(data, std::byte{1}), std::ptrdiff_t{bytes});
    job.world().barrier();
  };
  support::memory_network_state put(2), got(2);
  support::run_over_memory(put, body, "ATOLL_COLL_BROADCAST=tree/262144");
  EXPECT_EQ(put.counted().puts_to_loans, 1u);
  EXPECT_EQ(put.counted().gets, 0u);
  support::run_over_memory(got, body, "ATOLL_COLL_BROADCAST=tree/262144/by=get");
  EXPECT_EQ(got.counted().puts_to_loans, 0u);
  EXPECT_EQ(got.counted().gets, 1u);

  for (const rank_id mover : {0u, 1u}) {
    SCOPED_TRACE(mover);
    const auto copies = [&](runtime& job) {
      const auto so_far = [] {  // of this thread
        constexpr auto index = static_cast<std::size_t>(trace::counter::kernel_copies);
        return trace::my_counters != nullptr ? trace::my_counters->values[index] : 0;
      };
      const bool may_copy = memory::try_kernel_copy() == 0 && job.is_neighbour(1 - job.rank()) &&
                            !job.is_oversubscribed();
      const std::uint64_t before = so_far();
      body(job);
      EXPECT_EQ(so_far() - before, may_copy && job.rank() == mover ? 1u : 0u);
    };
    support::run_job(2, copies,
                     {text("ATOLL_COLL_BROADCAST=tree/262144/by=", mover == 0 ? "put" : "get"),
                      "ATOLL_KERNEL_COPY=auto"});
  }
}

// The readiness of all pieces of a window comes in one poll.
TEST(engine, sends_pieces_in_the_order_in_which_their_receiver_has_asked) {
  if (!foreign_variable("ATOLL_RANK").empty()) GTEST_SKIP() << "its ranks are threads";
  support::memory_network_state network(2);
  const auto body = [](runtime& job) {
    open(job);
    std::vector<std::byte> data(4 * (32 << 10), std::byte(1 + job.rank()));
    job.world().barrier();
    event done;
    for (const rank_id next : {0u, 1u}) {
      if (job.rank() == next)
        done = start_broadcast(job.world(), 0, data.data(), data.data(), data.size());
      layer_access::boot(job).fence();
    }
    job.wait(done);
    EXPECT_EQ(std::ranges::count(data, std::byte{1}), std::ssize(data));
    job.world().barrier();
  };
  support::run_over_memory(network, body, "ATOLL_COLL_BROADCAST=tree/32768");
  const std::vector<std::uintptr_t> places = network.places_of_puts();
  EXPECT_EQ(places.size(), 4u);
  EXPECT_TRUE(std::ranges::is_sorted(places));
}

void watch_losses(runtime& job) {
  job.on_peer_lost({.run = [](void*, rank_id, std::string_view) noexcept {}});
}

template <class Ready>
bool progress_until(runtime& job, const Ready& ready) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!ready() && std::chrono::steady_clock::now() < end) job.progress();
  return ready();
}

/// Runs a job of three ranks over a network in memory. At its end each rank loses another one, so
/// that none waits for the others.
void run_with_losses(support::memory_network_state& network,
                     const std::function<void(runtime&)>& body) {
  const auto with_end = [&](runtime& job) {
    open(job);
    job.world().barrier();
    body(job);
    layer_access::boot(job).fence();
    watch_losses(job);
    network.lose(job.rank(), (job.rank() + 1) % 3);
    layer_access::boot(job).fence();
  };
  support::run_over_memory(network, with_end, "ATOLL_COLL_BROADCAST=tree/262144");
}

/// A call of all by which rank 1 lends memory to rank 0, and the loss that recalls it.
void recall_by_loss_of_2(runtime& job, support::memory_network_state& network, event& call) {
  EXPECT_EQ(open(job).mail().loans(), 1u);
  watch_losses(job);
  network.lose(1, 2);
  EXPECT_EQ(job.wait(call), operation_status::peer_lost);
  job.progress();
}

// Rank 1 lends a mail's place for a message of one team, and then, by the same mail, for one of
// another team, which loses a member. Rank 0 has not yet seen that the first message is complete
// when the recall of the second loan comes: it ends all the same.
TEST(engine, a_recall_stops_only_the_message_that_it_names) {
  if (!foreign_variable("ATOLL_RANK").empty()) GTEST_SKIP() << "its ranks are threads";
  support::memory_network_state network(3);
  std::atomic<bool> recalled = false;
  run_with_losses(network, [&](runtime& job) {
    if (job.rank() == 2) return;
    team pair(job, {.id = 900, .members = rank_set(std::vector<rank_id>{0, 1})});
    std::vector<std::byte> data(100'000, std::byte(job.rank())), other(data.size());
    if (job.rank() == 0) {
      network.hold_ends_of_puts(true);
      event sent = start_broadcast(pair, 0, data.data(), data.data(), data.size());
      EXPECT_TRUE(progress_until(job, [&] { return recalled.load(); }));
      for (int i = 0; i < 100; ++i) job.progress();
      network.hold_ends_of_puts(false);
      const bool ended = progress_until(job, [&] { return sent.record()->complete(); });
      EXPECT_TRUE(ended) << "the message of the team that is whole never ends";
      if (!ended) return (void)sent.release();
      EXPECT_EQ(job.wait(sent), operation_status::done);
    } else {
      EXPECT_EQ(broadcast(pair, 0, data.data(), data.data(), data.size()), operation_status::done);
      event call = start_broadcast(job.world(), 0, other.data(), other.data(), other.size());
      recall_by_loss_of_2(job, network, call);
      recalled = true;
      EXPECT_TRUE(progress_until(job, [&] { return open(job).mail().loans() == 0; }));
    }
  });
}

// The terms of a loan that are handled after its recall, by another thread in a real program.
TEST(engine, uses_no_loan_after_its_recall) {
  if (!foreign_variable("ATOLL_RANK").empty()) GTEST_SKIP() << "its ranks are threads";
  support::memory_network_state network(3);
  std::atomic<bool> recalled = false, returned = false;
  run_with_losses(network, [&](runtime& job) {
    std::vector<std::byte> data(100'000, std::byte(job.rank()));
    layer_access::boot(job).fence();
    if (job.rank() == 0) {
      while (!recalled.load()) std::this_thread::yield();
      EXPECT_TRUE(progress_until(job, [&] { return returned.load(); }));
      network.put_back(0);
      event call = start_broadcast(job.world(), 0, data.data(), data.data(), data.size());
      for (int i = 0; i < 100; ++i) job.progress();
      EXPECT_EQ(network.counted().puts_to_loans, 0u);
      EXPECT_EQ(open(job).mail().recalls_remembered(), 1u);
      watch_losses(job);
      network.lose(0, 2);
      EXPECT_EQ(job.wait(call), operation_status::peer_lost);
      EXPECT_EQ(open(job).mail().recalls_remembered(), 0u) << "the team is abandoned";
    } else if (job.rank() == 1) {
      event call = start_broadcast(job.world(), 0, data.data(), data.data(), data.size());
      network.set_aside_last(0);
      recall_by_loss_of_2(job, network, call);
      recalled = true;
      EXPECT_TRUE(progress_until(job, [&] { return open(job).mail().loans() == 0; }));
      returned = true;
    }
    layer_access::boot(job).fence();  // rank 1's memory stays until then
  });
}

// Rank 0 begins no call on the team, which ends there after the recall, or before it with a loss
// that rank 0 has seen itself.
TEST(engine, forgets_recalls_of_a_team_that_has_ended) {
  if (!foreign_variable("ATOLL_RANK").empty()) GTEST_SKIP() << "its ranks are threads";
  for (const bool ends_first : {false, true}) {
    SCOPED_TRACE(ends_first);
    support::memory_network_state network(3);
    std::atomic<bool> ended = false, returned = false;
    run_with_losses(network, [&](runtime& job) {
      team all(job, {.id = 901, .members = rank_set{0, 1, 2}});
      std::vector<std::byte> data(100'000);
      layer_access::boot(job).fence();
      if (job.rank() == 0) {
        mailbox& mail = open(job).mail();
        if (ends_first) {
          watch_losses(job);
          network.lose(0, 2);
          EXPECT_TRUE(progress_until(job, [&] { return all.has_lost_member(); }));
          open(job).forget(all);
          ended = true;
        }
        EXPECT_TRUE(progress_until(job, [&] { return returned.load(); }));
        EXPECT_EQ(mail.recalls_remembered(), ends_first ? 0u : 1u);
        open(job).forget(all);
        EXPECT_EQ(mail.recalls_remembered(), 0u);
      } else if (job.rank() == 1) {
        event call = start_broadcast(all, 0, data.data(), data.data(), data.size());
        while (ends_first && !ended.load()) std::this_thread::yield();
        recall_by_loss_of_2(job, network, call);
        EXPECT_TRUE(progress_until(job, [&] { return open(job).mail().loans() == 0; }));
        returned = true;
      }
      layer_access::boot(job).fence();
    });
  }
}

// The borrower never answers, and is lost when no call is under way.
TEST(engine, a_recalled_loan_ends_when_its_borrower_is_lost) {
  if (!foreign_variable("ATOLL_RANK").empty()) GTEST_SKIP() << "its ranks are threads";
  support::memory_network_state network(3);
  run_with_losses(network, [&](runtime& job) {
    std::vector<std::byte> data(100'000);
    layer_access::boot(job).fence();
    if (job.rank() == 1) {
      event call = start_broadcast(job.world(), 0, data.data(), data.data(), data.size());
      recall_by_loss_of_2(job, network, call);
      for (int i = 0; i < 100; ++i) job.progress();
      EXPECT_EQ(open(job).mail().loans(), 1u) << "rank 0 has not answered";
      network.lose(1, 0);
      EXPECT_TRUE(progress_until(job, [&] { return open(job).mail().loans() == 0; }));
    }
    layer_access::boot(job).fence();
  });
}

// Two threads of rank 1 make progress. One of them may hear that the loan is filled while the other
// recalls it, because rank 2 is lost: either the call is done, or the loan ends with the answer.
TEST(engine, a_loan_is_filled_while_it_is_recalled) {
  if (!foreign_variable("ATOLL_RANK").empty()) GTEST_SKIP() << "its ranks are threads";
  constexpr int rounds = 40;
  for (int round = 0; round < rounds; ++round) {
    support::memory_network_state network(3);
    std::atomic<bool> has_lent = false, ended = false;
    run_with_losses(network, [&](runtime& job) {
      std::vector<std::byte> data(100'000, std::byte(job.rank()));
      layer_access::boot(job).fence();
      if (job.rank() == 0) {
        while (!has_lent.load()) std::this_thread::yield();
        event call = start_broadcast(job.world(), 0, data.data(), data.data(), data.size());
        EXPECT_TRUE(progress_until(job, [&] { return ended.load(); }));
        watch_losses(job);
        network.lose(0, 2);
        EXPECT_EQ(job.wait(call), operation_status::peer_lost);
      } else if (job.rank() == 1) {
        mailbox& mail = open(job).mail();
        event call = start_broadcast(job.world(), 0, data.data(), data.data(), data.size());
        EXPECT_EQ(mail.loans(), 1u);
        watch_losses(job);
        const std::jthread other([&](const std::stop_token& stop) {
          while (!stop.stop_requested()) job.progress();
        });
        has_lent = true;
        for (int i = 0; i < round; ++i) job.progress();
        network.lose(1, 2);
        const bool is_done = job.wait(call) == operation_status::done;
        EXPECT_TRUE(!is_done || data.back() == std::byte{0});
        EXPECT_TRUE(progress_until(job, [&] { return mail.loans() == 0; }));
        ended = true;
      }
      layer_access::boot(job).fence();  // rank 1's memory stays until then
    });
  }
}

// One rank lends memory, and the other has been told to transfer by messages alone.
TEST(engine, a_rank_without_transfers_uses_no_loan) {
  constexpr std::size_t block = 25'000;
  std::atomic<std::uint64_t> transfers = 0;
  std::atomic<bool> lends = false;
  const auto run = [&](const char* algorithm) {
    support::thread_rendezvous rendezvous(2);
    const auto rank = [&](rank_id self, const char* way) {
      runtime job({.configuration = support::settings_of({text("ATOLL_COLL_ALLGATHER=", algorithm),
                                                          text("ATOLL_OFI_TRANSFERS=", way)}),
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
      EXPECT_EQ(open(job).mail().loans(), 0u) << "unused loans end, too";
      transfers += network->describe().counts->transfers - before;
      if (network->describe().lends && !job.is_neighbour(1 - self)) lends = true;
    };
    std::thread first([&] { rank(0, "am"); });
    std::thread second([&] { rank(1, "auto"); });
    first.join();
    second.join();
  };
  for (const char* const each : {"linear", "linear/by=get"}) {
    SCOPED_TRACE(each);
    run(each);
    if (!lends) GTEST_SKIP() << "no network that lends memory joins these ranks";
    EXPECT_EQ(transfers, 0u);
  }
}

// A network that cannot lend its memory is asked once; then blocks come in pieces.
void expect_pieces_where_lending_is_refused(const char* algorithm) {
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
  support::run_job(2, body, {text("ATOLL_COLL_ALLGATHER=", algorithm), "ATOLL_OFI_MEMORY=refused"});
  const std::string told = testing::internal::GetCapturedStderr();
  if (!lends) GTEST_SKIP() << "no network that lends memory joins these ranks";
  std::size_t warnings = 0;
  for (auto at = told.find("come in pieces"); at != std::string::npos;
       at = told.find("come in pieces", at + 1)) {
    ++warnings;
  }
  EXPECT_EQ(warnings, 2u) << told;  // one on each rank
}

TEST(engine, sends_pieces_where_a_network_refuses_to_lend) {
  expect_pieces_where_lending_is_refused("linear");
  expect_pieces_where_lending_is_refused("linear/by=get");
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
