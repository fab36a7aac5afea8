// SPDX-License-Identifier: BSD-3-Clause
//
// The parameters of a choice change what really happens: how many pieces and blocks may arrive at a
// time, which messages wait for their receiver, and what goes between hosts.
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/engine/selection.hpp>
#include <atoll/coll/engine/table.hpp>
#include <atoll/coll/message/window.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/trace/counters.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace atl::coll {
namespace {

const reduction add_u64 = built_in(reduce_operation::add, data_type::u64);

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
  const std::uint64_t sum_so_far = (job.rank() + 1) * (job.rank() + 2) / 2;
  const std::uint64_t sum = job.size() * (job.size() + 1) / 2;
  const bool has_all = job.rank() == 0 || kind == collective::allgather ||
                       kind == collective::alltoall || kind == collective::allreduce;
  if (kind == collective::broadcast) {
    EXPECT_EQ(to[count - 1], 1u);
  } else if (kind == collective::scan) {
    EXPECT_EQ(to[count - 1], sum_so_far);
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
  std::atomic<rank_id> settled = 0;
  const auto body = [&](runtime& job) {
    open(job);
    const std::size_t count = given.bytes / 8;
    std::vector<std::uint64_t> from(count * job.size(), job.rank() + 1), to(from.size());
    const choice use = parse_choice(kind, algorithm, "test");
    job.world().barrier();
    // Ranks share the counter, and one may count its message of the barrier after the message came.
    if (job.rank() == given.member) {
      job.wait_until([&] { return settled.load(std::memory_order_acquire) == given.ranks - 1; },
                     1'000'000);
    } else {
      settled.fetch_add(1, std::memory_order_release);
    }
    while (job.rank() != given.member && !has_counted.load(std::memory_order_acquire)) {
      std::this_thread::yield();
    }
    const arguments request{.kind = kind,
                            .from = reinterpret_cast<const std::byte*>(from.data()),
                            .to = reinterpret_cast<std::byte*>(to.data()),
                            .bytes = given.bytes,
                            .count = count,
                            .combine = add_u64};
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

// The bytes that all members together send in messages for a call of 8 KiB, among members of which
// each is a host.
double bytes_of_allreduce(const std::string& algorithm, rank_id ranks) {
  constexpr std::uint64_t calls = 20;
  double counted = 0;
  const auto bytes_so_far = [] {
    return trace::read()[static_cast<std::size_t>(trace::counter::am_bytes)];
  };
  const auto body = [&](runtime& job) {
    open(job);
    std::vector<std::uint64_t> values(1024, job.rank() + 1), sums(1024);
    job.world().barrier();
    const std::uint64_t before = bytes_so_far();
    job.world().barrier();
    for (std::uint64_t i = 0; i < calls; ++i) {
      allreduce(job.world(), sums.data(), values.data(), sums.size(), add_u64);
    }
    EXPECT_EQ(sums[1000], job.size() * (job.size() + 1) / 2);
    job.world().barrier();
    if (job.rank() == 0) counted = static_cast<double>(bytes_so_far() - before) / calls;
    job.world().barrier();
  };
  support::run_job(ranks, body, {"ATOLL_NEIGHBOURHOOD=1", "ATOLL_COLL_ALLREDUCE=" + algorithm});
  return counted;
}

// Each of four members sends a half and a quarter, and these again; of doubling, the whole twice.
// The fifth member gives all to another one, and gets all.
TEST(algorithms, of_recursive_halving_send_parts_only) {
  EXPECT_NEAR(bytes_of_allreduce("recursive_halving", 4), 4 * 1.5 * 8192, 200);
  EXPECT_NEAR(bytes_of_allreduce("recursive_doubling", 4), 4 * 2 * 8192, 200);
  EXPECT_NEAR(bytes_of_allreduce("recursive_halving", 5), (4 * 1.5 + 2) * 8192, 200);
}

// With gets the sender tells of its data, and the receiver asks for nothing. Where they cannot be
// copied at once, it then asks for pieces.
TEST(parameters, mover_is_the_side_that_waits_for_the_other) {
  constexpr lone_begin root{.ranks = 2, .member = 0, .bytes = 60'000};
  constexpr lone_begin leaf{.ranks = 2, .member = 1, .bytes = 60'000};
  const auto of = [](const char* algorithm, const lone_begin& given) {
    return messages_of(collective::broadcast, algorithm, given);
  };
  for (const char* const put : {"tree", "tree/by=put"}) {
    EXPECT_EQ(of(put, root), 0u) << put;
    EXPECT_EQ(of(put, leaf), 1u) << put;
  }
  EXPECT_EQ(of("tree/by=get", root), 1u);
  EXPECT_EQ(of("tree/by=get", leaf), 0u);
  EXPECT_EQ(of("tree/by=get/eager=65536", leaf), 0u);
  EXPECT_EQ(of("tree/by=get/eager=65536", root), 1u) << "the data";
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
        allreduce(job.world(), sums.data(), values.data(), sums.size(), add_u64);
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

// With one leader a host sends each other host one message, whatever the number of members, with
// more leaders one for each.
TEST(parameters, leaders_share_the_blocks_that_go_between_hosts) {
  constexpr std::uint64_t calls = 20;
  constexpr double of_barriers = 14;
  const auto messages_of_calls = [&](collective kind, const std::string& algorithm) {
    std::uint64_t counted = 0;
    const auto body = [&](runtime& job) {
      engine& engine = open(job);
      std::vector<std::uint64_t> from(8 * job.size(), job.rank() + 1), to(from.size());
      const arguments request{.kind = kind,
                              .from = reinterpret_cast<const std::byte*>(from.data()),
                              .to = reinterpret_cast<std::byte*>(to.data()),
                              .bytes = 64,
                              .count = 8,
                              .combine = add_u64};
      const choice use = parse_choice(kind, algorithm, "test");
      job.world().barrier();
      const std::uint64_t before = requests_so_far();
      job.world().barrier();
      for (std::uint64_t i = 0; i < calls; ++i) engine.run(job.world(), request, use);
      job.world().barrier();
      if (job.rank() == 0) counted = requests_so_far() - before;
      job.world().barrier();
    };
    support::run_job(6, body, {"ATOLL_NEIGHBOURHOOD=3"});
    return static_cast<double>(counted);
  };
  const auto expect = [&](collective kind, double messages) {
    for (const unsigned leaders : {1u, 2u, 3u}) {
      EXPECT_NEAR(messages_of_calls(kind, text("hierarchical/leaders=", leaders)),
                  messages * leaders * calls, of_barriers)
          << name_of(kind) << " with " << leaders;
    }
  };
  expect(collective::gather, 1);
  expect(collective::scatter, 1);
  expect(collective::allgather, 2);
  expect(collective::alltoall, 2);
  EXPECT_GE(messages_of_calls(collective::alltoall, "pairwise"), 18 * calls);
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
        allreduce(job.world(), sums.data(), values.data(), values.size(), add_u64,
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

}  // namespace
}  // namespace atl::coll
