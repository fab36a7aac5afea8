// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the promises of the core, at every rank count and on every path: direct, and with transfers
// forced over messages; in thread mode single and any; with each barrier; on one host and on
// several. Ranks are threads of this process (support/thread_job.hpp); tests/multi tests the same
// promises between processes.
#include <atoll/base/clock.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/threads/race_annotations.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace atl {
namespace {

/// One way to run every test below.
struct shape {
  rank_id ranks;
  const char* rma_path;
  const char* barrier;
  thread_mode threads;
  rank_id neighbourhood = 0;
};

std::string name_of(const testing::TestParamInfo<shape>& info) {
  const shape& variant = info.param;
  return text("n", variant.ranks, "_", variant.rma_path, "_", variant.barrier,
              variant.threads == thread_mode::any ? "_any" : "_single",
              variant.neighbourhood != 0 ? text("_hosts_of_", variant.neighbourhood) : "");
}

class core : public testing::TestWithParam<shape> {
 protected:
  void run(const std::function<void(runtime&)>& body) {
    const shape& variant = GetParam();
    support::run_job(
        variant.ranks, body,
        {text("ATOLL_RMA_PATH=", variant.rma_path), text("ATOLL_BARRIER=", variant.barrier),
         text("ATOLL_NEIGHBOURHOOD=", variant.neighbourhood)},
        variant.threads);
  }
};

/// The address at `rank` of the object that this rank has at `local`. All ranks must have made
/// the same allocations.
template <class Object>
Object* at_rank(runtime& job, rank_id rank, Object* local) {
  const auto base = [&](rank_id r) { return job.heaps().routes()[r].remote(); };
  return reinterpret_cast<Object*>(reinterpret_cast<std::uintptr_t>(local) - base(job.rank()) +
                                   base(rank));
}

std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    made[i] = static_cast<std::byte>(i * 31 + seed * 7 + i / 251);
  return made;
}

constexpr std::array<std::size_t, 9> sizes{0, 1, 7, 8, 64, 4096, 65536, 65537, 300'007};

TEST_P(core, a_blocking_put_is_there_for_the_target_after_a_barrier) {
  run([](runtime& job) {
    auto* const block = static_cast<std::byte*>(job.heap().allocate(sizes.back()));
    const rank_id right = (job.rank() + 1) % job.size();
    const rank_id left = (job.rank() + job.size() - 1) % job.size();
    for (const std::size_t bytes : sizes) {
      std::memset(block, 0, bytes);
      job.world().barrier();
      const auto sent = pattern(bytes, job.rank());
      put(job.primordial(), right, at_rank(job, right, block), sent.data(), bytes);
      job.world().barrier();
      const auto wanted = pattern(bytes, left);
      EXPECT_TRUE(bytes == 0 || std::memcmp(block, wanted.data(), bytes) == 0) << bytes;
      job.world().barrier();
    }
    job.heap().free(block);
  });
}

TEST_P(core, a_blocking_get_brings_what_is_there) {
  run([](runtime& job) {
    auto* const block = static_cast<std::byte*>(job.heap().allocate(sizes.back()));
    const auto content = pattern(sizes.back(), job.rank());
    std::memcpy(block, content.data(), content.size());
    job.world().barrier();
    for (rank_id from = 0; from < job.size(); ++from) {
      const auto wanted = pattern(sizes.back(), from);
      for (const std::size_t bytes : sizes) {
        std::vector<std::byte> got(bytes + 1, std::byte{0x5a});
        get(job.primordial(), got.data(), from, at_rank(job, from, block), bytes);
        EXPECT_TRUE(bytes == 0 || std::memcmp(got.data(), wanted.data(), bytes) == 0) << bytes;
        EXPECT_EQ(got[bytes], std::byte{0x5a});
      }
    }
    job.world().barrier();
  });
}

TEST_P(core, explicit_events_complete_each_operation) {
  run([](runtime& job) {
    constexpr int count = 50;
    auto* const values = static_cast<std::uint64_t*>(job.heap().allocate(count * 8 * job.size()));
    job.world().barrier();
    std::vector<event> pending(count);
    for (rank_id to = 0; to < job.size(); ++to) {
      for (int i = 0; i < count; ++i) {
        const std::uint64_t value = job.rank() * 1000 + static_cast<unsigned>(i);
        auto* const target =
            at_rank(job, to, values) + job.rank() * count + static_cast<unsigned>(i);
        ASSERT_TRUE(put_nb(job.primordial(), to, target, &value, sizeof value,
                           pending[static_cast<std::size_t>(i)]));
      }
      for (event& each : pending) job.wait(each);
      for (event& each : pending) EXPECT_TRUE(each.empty());
    }
    job.world().barrier();
    for (rank_id from = 0; from < job.size(); ++from) {
      for (unsigned i = 0; i < count; ++i) EXPECT_EQ(values[from * count + i], from * 1000 + i);
    }
    std::vector<std::uint64_t> got(count);
    event done;
    const rank_id other = (job.rank() + 1) % job.size();
    ASSERT_TRUE(
        get_nb(job.primordial(), got.data(), other, at_rank(job, other, values), count * 8, done));
    while (!job.test(done)) {
    }
    EXPECT_EQ(got[3], 3u);
    job.world().barrier();
  });
}

TEST_P(core, implicit_operations_and_access_regions_complete) {
  run([](runtime& job) {
    auto* const values = static_cast<std::uint32_t*>(job.heap().allocate(4096 * 4));
    std::fill_n(values, 4096, 0u);
    job.world().barrier();
    const rank_id to = (job.rank() + 1) % job.size();
    for (std::uint32_t i = 0; i < 100; ++i) {
      const std::uint32_t value = i + 1;
      ASSERT_TRUE(put_nbi(job.primordial(), to, at_rank(job, to, values) + i, &value, 4));
    }
    job.wait_implicit(true, false);
    layer_access::implicit_operations(job).begin_region();
    for (std::uint32_t i = 100; i < 200; ++i) {
      const std::uint32_t value = i + 1;
      ASSERT_TRUE(put_nbi(job.primordial(), to, at_rank(job, to, values) + i, &value, 4));
    }
    event region = layer_access::implicit_operations(job).end_region();
    job.wait(region);
    job.world().barrier();
    for (std::uint32_t i = 0; i < 200; ++i) EXPECT_EQ(values[i], i + 1);
    std::array<std::uint32_t, 200> got{};
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_TRUE(get_nbi(job.primordial(), &got[i], to, at_rank(job, to, values) + i, 4));
    }
    job.wait_implicit(true, true);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], i + 1);
    job.world().barrier();
  });
}

TEST_P(core, value_forms_carry_one_value) {
  run([](runtime& job) {
    auto* const values = static_cast<double*>(job.heap().allocate(8 * job.size()));
    job.world().barrier();
    for (rank_id to = 0; to < job.size(); ++to) {
      put_value(job.primordial(), to, at_rank(job, to, values) + job.rank(), job.rank() + 0.5);
    }
    job.world().barrier();
    for (rank_id from = 0; from < job.size(); ++from) {
      EXPECT_EQ(values[from], from + 0.5);
      EXPECT_EQ(get_value(job.primordial(), from, at_rank(job, from, values) + job.rank()),
                job.rank() + 0.5);
    }
    job.world().barrier();
  });
}

/// Counts of the messages that the handlers of one rank saw.
struct inbox {
  std::atomic<int> requests = 0;
  std::atomic<int> replies = 0;
  std::atomic<std::uint64_t> sum = 0;
  std::atomic<int> wrong = 0;
};

constexpr handler_id request_id = 200, reply_id = 201;

void on_reply(void* context, am_token& token, const std::uint32_t* args, unsigned nargs,
              void* payload, std::size_t bytes) {
  auto& seen = *static_cast<inbox*>(context);
  if (token.is_request()) ++seen.wrong;
  for (unsigned i = 0; i < nargs; ++i) {
    if (args[i] != 100 + i) ++seen.wrong;
  }
  const auto* data = static_cast<const unsigned char*>(payload);
  seen.sum += std::accumulate(data, data + bytes, std::uint64_t{0});
  ++seen.replies;
}

// Answers with the same category, arguments and payload.
void on_request(void* context, am_token& token, const std::uint32_t* args, unsigned nargs,
                void* payload, std::size_t bytes) {
  auto& seen = *static_cast<inbox*>(context);
  if (!token.is_request()) ++seen.wrong;
  ++seen.requests;
  token.reply(
      {.kind = token.category() == am_category::long_ ? am_category::short_ : token.category(),
       .handler = reply_id,
       .nargs = static_cast<std::uint8_t>(nargs),
       .args = args,
       .payload = token.category() == am_category::medium ? payload : nullptr,
       .bytes = token.category() == am_category::medium ? bytes : 0});
}

void register_handlers(runtime& job, inbox& seen) {
  ASSERT_TRUE(job.primordial().handlers().set(request_id, {.run = on_request, .context = &seen}));
  ASSERT_TRUE(job.primordial().handlers().set(reply_id, {.run = on_reply, .context = &seen}));
  job.world().barrier();
}

TEST_P(core, messages_of_every_arity_and_size_come_back) {
  run([](runtime& job) {
    inbox seen;
    register_handlers(job, seen);
    std::array<std::uint32_t, 16> args;
    std::iota(args.begin(), args.end(), 100u);
    int sent = 0;
    std::uint64_t sum = 0;
    for (rank_id to = 0; to < job.size(); ++to) {
      for (std::uint8_t nargs = 0; nargs <= 16; ++nargs) {
        for (const std::size_t bytes : {0, 1, 8, 47, 48, 49, 112, 113, 4096, 4097, 65536}) {
          const std::vector<std::byte> payload(bytes, std::byte{3});
          ASSERT_TRUE(job.primordial().request({.target = to,
                                                .kind = am_category::medium,
                                                .handler = request_id,
                                                .nargs = nargs,
                                                .args = args.data(),
                                                .payload = payload.data(),
                                                .bytes = bytes}));
          ++sent;
          sum += 3 * bytes;
        }
        ASSERT_TRUE(job.primordial().request(
            {.target = to, .handler = request_id, .nargs = nargs, .args = args.data()}));
        ++sent;
      }
    }
    job.wait_until([&] { return seen.replies == sent; });
    job.world().barrier();
    EXPECT_EQ(seen.requests, sent);
    EXPECT_EQ(seen.sum, sum);
    EXPECT_EQ(seen.wrong, 0);
  });
}

TEST_P(core, a_long_message_lands_before_its_handler_runs) {
  run([](runtime& job) {
    constexpr std::size_t bytes = 300'000;
    struct state {
      std::byte* area;
      std::atomic<int> good = 0;
      std::atomic<int> bad = 0;
    } results;
    results.area = static_cast<std::byte*>(job.heap().allocate(bytes * job.size()));
    const auto run_handler = [](void* context, am_token& token, const std::uint32_t* args, unsigned,
                                void* payload, std::size_t size) {
      auto& seen = *static_cast<state*>(context);
      const auto wanted = pattern(size, args[0]);
      const bool right = payload == seen.area + token.source() * bytes && size == args[1] &&
                         std::memcmp(payload, wanted.data(), size) == 0;
      ++(right ? seen.good : seen.bad);
    };
    ASSERT_TRUE(job.primordial().handlers().set(150, {.run = run_handler, .context = &results}));
    job.world().barrier();
    int expected = 0;
    for (const std::size_t size : {std::size_t{1}, std::size_t{100}, std::size_t{70'000}, bytes}) {
      for (rank_id to = 0; to < job.size(); ++to) {
        const auto sent = pattern(size, job.rank());
        const std::array<std::uint32_t, 2> args{job.rank(), static_cast<std::uint32_t>(size)};
        std::byte* const target = at_rank(job, to, results.area) + job.rank() * bytes;
        ASSERT_TRUE(
            job.primordial().request({.target = to,
                                      .kind = am_category::long_,
                                      .handler = 150,
                                      .nargs = 2,
                                      .args = args.data(),
                                      .payload = sent.data(),
                                      .bytes = size,
                                      .address = reinterpret_cast<std::uintptr_t>(target)}));
      }
      expected += static_cast<int>(job.size());
      job.wait_until([&] { return results.good + results.bad == expected; });
      job.world().barrier();
    }
    EXPECT_EQ(results.bad, 0);
  });
}

TEST_P(core, negotiated_payload_is_filled_in_place_and_may_be_cancelled) {
  run([](runtime& job) {
    inbox seen;
    register_handlers(job, seen);
    const rank_id to = (job.rank() + 1) % job.size();
    for (int i = 0; i < 200; ++i) {
      const transport::staging buffer =
          job.primordial().prepare({.target = to, .bytes = 5000}, false);
      ASSERT_NE(buffer.data, nullptr);
      ASSERT_GE(buffer.bytes, 5000u);
      if (i % 2 == 0) {
        job.primordial().cancel(to, buffer);
        continue;
      }
      std::memset(buffer.data, 1, 4500);
      ASSERT_TRUE(job.primordial().commit(
          buffer, {.target = to, .kind = am_category::medium, .handler = request_id, .bytes = 4500},
          false));
    }
    job.wait_until([&] { return seen.replies == 100; });
    EXPECT_EQ(seen.sum, 100u * 4500u);
    job.world().barrier();
  });
}

TEST_P(core, a_ring_of_ranks_that_flood_each_other_moves_on) {
  run([](runtime& job) {
    inbox seen;
    register_handlers(job, seen);
    constexpr int count = 3000;
    const std::vector<std::byte> payload(6000, std::byte{1});
    const rank_id to = (job.rank() + 1) % job.size();
    for (int i = 0; i < count; ++i) {
      const std::size_t bytes = i % 3 == 0 ? 6000 : 0;
      ASSERT_TRUE(job.primordial().request({.target = to,
                                            .kind = am_category::medium,
                                            .handler = request_id,
                                            .payload = payload.data(),
                                            .bytes = bytes}));
    }
    job.wait_until([&] { return seen.replies == count; });
    EXPECT_EQ(seen.sum, 6000u * count / 3);
    job.world().barrier();
    EXPECT_EQ(seen.requests, count);
  });
}

/// A handler that blocks its rank once, until the sender has been refused. Where the ranks are
/// processes of several hosts it cannot see that, and waits long enough to fill a queue.
struct hold {
  std::atomic<int>* refused;
  std::atomic<int> requests = 0;
};

void on_hold(void* context, am_token&, const std::uint32_t*, unsigned, void*, std::size_t) {
  auto& holder = *static_cast<hold*>(context);
  if (holder.requests.fetch_add(1) != 0) return;
  const std::int64_t limit_ns =
      foreign_variable("ATOLL_RANK").empty() ? 20'000'000'000 : 500'000'000;
  const std::int64_t end_ns = now_ns() + limit_ns;
  while (*holder.refused < 10 && now_ns() < end_ns) std::this_thread::yield();
}

TEST_P(core, immediate_requests_are_refused_when_the_queue_is_full_and_nothing_is_lost) {
  std::atomic<int> refused = 0;
  run([&](runtime& job) {
    constexpr handler_id hold_id = 151;
    hold holder{.refused = &refused};
    ASSERT_TRUE(job.primordial().handlers().set(hold_id, {.run = on_hold, .context = &holder}));
    auto* const sent = static_cast<std::uint64_t*>(job.heap().allocate(sizeof(std::uint64_t)));
    job.world().barrier();
    const rank_id to = job.size() - 1;
    if (job.rank() == 0 && to != 0) {
      std::uint64_t accepted = 0;
      for (int i = 0; i < 1'000'000 && refused < 10; ++i) {
        if (job.primordial().request({.target = to, .handler = hold_id}, true)) {
          ++accepted;
        } else if (accepted != 0) {
          ++refused;
        } else {
          job.progress();  // still connecting
        }
      }
      EXPECT_EQ(refused, 10) << "nobody takes these out: a queue must be bounded";
      EXPECT_GT(accepted, 0u);
      put_value(job.primordial(), to, at_rank(job, to, sent), accepted);
    }
    job.world().barrier();
    if (job.rank() == to && to != 0) {
      job.wait_until([&] { return holder.requests >= static_cast<int>(*sent); });
      EXPECT_EQ(holder.requests, static_cast<int>(*sent));
    }
    job.world().barrier();
  });
}

// A rank's requests to itself are handled at once, so no queue can be full.
TEST_P(core, immediate_requests_to_oneself_are_accepted) {
  run([](runtime& job) {
    inbox seen;
    register_handlers(job, seen);
    for (int i = 0; i < 2000; ++i) {
      ASSERT_TRUE(job.primordial().request({.target = job.rank(), .handler = request_id}, true));
    }
    job.wait_until([&] { return seen.replies == 2000; });
    job.world().barrier();
    EXPECT_EQ(seen.wrong, 0);
  });
}

#ifdef ATOLL_SANITIZED
constexpr std::uint64_t barrier_rounds = 40;
#else
constexpr std::uint64_t barrier_rounds = 200;
#endif

TEST_P(core, barriers_keep_order_for_many_rounds) {
  run([](runtime& job) {
    auto* const number = static_cast<std::uint64_t*>(job.heap().allocate(8));
    *number = 0;
    job.world().barrier();
    for (std::uint64_t round = 1; round <= barrier_rounds; ++round) {
      std::atomic_ref<std::uint64_t>(*number).store(round, std::memory_order_relaxed);
      job.world().barrier();
      const rank_id other = static_cast<rank_id>((job.rank() + round) % job.size());
      const auto seen = get_value(job.primordial(), other, at_rank(job, other, number));
      EXPECT_GE(seen, round);
      EXPECT_LE(seen, round + 1);
    }
    job.world().barrier();
  });
}

TEST_P(core, several_barriers_may_be_under_way) {
  run([](runtime& job) {
    for (int round = 0; round < 20; ++round) {
      event first = job.world().start_barrier();
      event second = job.world().start_barrier();
      event third = job.world().start_barrier();
      job.wait(third);
      EXPECT_TRUE(job.test(first));
      EXPECT_TRUE(job.test(second));
    }
  });
}

TEST_P(core, named_barriers_agree_or_report_a_mismatch) {
  run([](runtime& job) {
    const auto meet = [&](barrier_tag tag) {
      job.world().arrive_named(tag);
      job.wait_until([&] { return job.world().test_named(); });
      return job.world().named_result();
    };
    for (std::uint32_t round = 0; round < 10; ++round) {
      EXPECT_EQ(meet(barrier_tag::named(round)), barrier_tag::named(round));
      EXPECT_TRUE(meet(barrier_tag::anonymous()).is_anonymous());
      const bool odd_one = job.rank() == job.size() - 1;
      EXPECT_EQ(meet(odd_one ? barrier_tag::named(77) : barrier_tag::anonymous()),
                barrier_tag::named(77));
      const barrier_tag mixed = meet(barrier_tag::named(job.rank()));
      EXPECT_EQ(mixed.is_mismatch(), job.size() > 1);
    }
  });
}

TEST_P(core, a_named_barrier_moves_on_while_its_owner_waits_for_something_else) {
  run([](runtime& job) {
    inbox seen;
    register_handlers(job, seen);
    const auto done = [&] { return job.world().test_named(); };
    job.world().arrive_named(barrier_tag::named(4));
    if (job.rank() == 0) {
      // The others send only when they have passed; rank 0 must complete its rounds without tests.
      job.wait_until([&] { return seen.requests == static_cast<int>(job.size()) - 1; });
      job.wait_until(done);
    } else {
      job.wait_until(done);
      job.primordial().request({.target = 0, .handler = request_id});
      job.wait_until([&] { return seen.replies == 1; });
    }
    EXPECT_EQ(job.world().named_result(), barrier_tag::named(4));
    job.world().barrier();
  });
}

// The thread sanitizer is slow with many ranks, and finds all races with few.
#ifdef ATOLL_THREAD_SANITIZER
constexpr std::array<rank_id, 4> rank_counts{1, 2, 3, 4};
#else
constexpr std::array<rank_id, 5> rank_counts{1, 2, 3, 4, 8};
#endif

std::vector<shape> all_shapes() {
  std::vector<shape> shapes;
  for (const rank_id ranks : rank_counts) {
    shapes.push_back({ranks, "direct", "auto", thread_mode::any});
    shapes.push_back({ranks, "direct", "flags", thread_mode::single});
    shapes.push_back({ranks, "direct", "counter", thread_mode::single});
    shapes.push_back({ranks, "am", "auto", thread_mode::any});
    shapes.push_back({ranks, "am", "am", thread_mode::single});
    // Direct within pairs of ranks and over messages between them, as on several hosts.
    shapes.push_back({ranks, "direct", "auto", thread_mode::any, 2});
  }
  return shapes;
}

INSTANTIATE_TEST_SUITE_P(every, core, testing::ValuesIn(all_shapes()), name_of);

}  // namespace
}  // namespace atl
