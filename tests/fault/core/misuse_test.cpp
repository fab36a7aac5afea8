// SPDX-License-Identifier: BSD-3-Clause
//
// Tests that wrong use ends the job with one message that names the operation, the ranks, the
// address and the remedy. Each case is a job of one rank in a child process whose output is read.
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/choice.hpp>
#include <atoll/coll/device/device_collectives.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/core/strided/strided.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <array>

namespace atl {
namespace {

class misuse : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

/// Expects that a rank prints `message` and ends with code 1.
void dies_with(const std::function<void(runtime&)>& body, const std::string& message) {
  EXPECT_EXIT(support::run_job(1, body), testing::ExitedWithCode(1), message);
}

TEST_F(misuse, put_beyond_the_segment_names_the_range) {
  dies_with(
      [](runtime& job) {
        const route& row = job.heaps().routes()[0];
        const int value = 1;
        put(job.primordial(), 0, reinterpret_cast<void*>(row.remote() + row.bytes - 2), &value,
            sizeof value);
      },
      "put of 4 bytes, rank 0 to rank 0 at 0x.*outside the segment of rank 0, \\[0x.*check the "
      "offset");
}

TEST_F(misuse, get_below_the_segment_names_the_range) {
  dies_with(
      [](runtime& job) {
        int value = 0;
        get(job.primordial(), &value, 0, &value, sizeof value);
      },
      "get of 4 bytes.*outside the segment");
}

TEST_F(misuse, lists_of_more_bytes_than_there_are_addresses_are_named) {
  dies_with(
      [](runtime& job) {
        void* const place = job.heap().allocate(8);
        const std::array<void*, 2> addresses{place, place};
        const address_list half_of_all{.addresses = addresses, .bytes = std::size_t{1} << 63};
        put(job.primordial(), 0, indexed_transfer{.to = half_of_all, .from = half_of_all});
      },
      "put.*outside the segment of rank 0");
}

TEST_F(misuse, an_element_larger_than_the_staging_memory_of_devices_is_named) {
  dies_with(
      [](runtime& job) {
        coll::device_collectives collectives(job.heaps());
        void* const place = job.heap().allocate(1 << 20);
        const coll::reduction combiner{
            .element_bytes = 300'000,
            .combine = [](const void*, void*, std::size_t, const void*) {}};
        collectives.allreduce(job.world(), place, place, 2, combiner);
      },
      "all-reduce of 2 elements of 300000 bytes in device memory: an element may have at most "
      "262144 bytes");
}

TEST_F(misuse, a_rank_that_does_not_exist_is_named) {
  dies_with(
      [](runtime& job) {
        const int value = 1;
        put(job.primordial(), 7, job.heap().allocate(8), &value, sizeof value);
      },
      "put from rank 0 to rank 7: there are ranks 0 to 0");
  dies_with([](runtime& job) { job.primordial().request({.target = 3, .handler = 1}); },
            "AM request from rank 0 to rank 3: there are ranks 0 to 0");
}

TEST_F(misuse, an_unbound_segment_is_named) {
  dies_with(
      [](runtime& job) {
        segment nothing(job);
        job.primordial().bind(nothing);
        const int value = 1;
        put(job.primordial(), 0, job.heap().allocate(8), &value, sizeof value);
      },
      "rank 0 has no memory in this segment.*attach or bind");
}

TEST_F(misuse, a_message_to_no_handler_is_named) {
  dies_with([](runtime& job) { job.primordial().request({.target = 0, .handler = 99}); },
            "to handler 99 of rank 0: no handler is registered");
}

TEST_F(misuse, a_message_that_a_handler_does_not_accept_is_named) {
  dies_with(
      [](runtime& job) {
        job.primordial().handlers().set(
            5, {.run = [](void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t) {},
                .nargs = 2,
                .name = "greet"});
        job.primordial().request({.target = 0, .handler = 5});
      },
      "handler 'greet' was registered for other messages \\(2 arguments");
}

TEST_F(misuse, a_second_reply_is_named) {
  dies_with(
      [](runtime& job) {
        handler_table& table = job.primordial().handlers();
        const auto nothing = [](void*, am_token&, const std::uint32_t*, unsigned, void*,
                                std::size_t) {};
        table.set(6, {.run = nothing});
        table.set(5, {.run = [](void*, am_token& token, const std::uint32_t*, unsigned, void*,
                                std::size_t) {
                    token.reply({.handler = 6});
                    token.reply({.handler = 6});
                  }});
        job.primordial().request({.target = 0, .handler = 5});
      },
      "handler 5 has already replied to rank 0; reply at most once");
}

TEST_F(misuse, a_request_from_a_handler_is_named) {
  dies_with(
      [](runtime& job) {
        job.primordial().handlers().set(
            5, {.run = [](void*, am_token& token, const std::uint32_t*, unsigned, void*,
                          std::size_t) { token.receiver().request({.target = 0, .handler = 5}); }});
        job.primordial().request({.target = 0, .handler = 5});
      },
      "sent inside a handler, which may only reply");
}

TEST_F(misuse, a_medium_beyond_the_maximum_is_named) {
  dies_with(
      [](runtime& job) {
        const std::vector<char> payload(70000);
        job.primordial().request({.target = 0,
                                  .kind = am_category::medium,
                                  .handler = 5,
                                  .payload = payload.data(),
                                  .bytes = payload.size()});
      },
      "medium AM of 70000 bytes to rank 0: the most is 65536 bytes");
}

TEST_F(misuse, more_arguments_than_there_are_places_for_are_named) {
  dies_with(
      [](runtime& job) {
        const std::uint32_t args[20] = {};
        job.primordial().request({.target = 0, .handler = 5, .nargs = 17, .args = args});
      },
      "AM of 17 arguments to rank 0: the most is 16");
}

TEST_F(misuse, preparing_or_committing_too_much_is_named) {
  dies_with([](runtime& job) { job.primordial().prepare({.target = 0, .bytes = 1 << 20}, false); },
            "medium AM of 1048576 bytes to rank 0: the most is 65536 bytes");
  dies_with([](runtime& job) { job.primordial().prepare({.target = 9, .bytes = 8}, false); },
            "AM prepare from rank 0 to rank 9");
  dies_with(
      [](runtime& job) {
        endpoint& from = job.primordial();
        transport::staging buffer = from.prepare({.target = 0, .bytes = 8}, false);
        buffer.bytes = 8;  // it may be larger than was asked for
        from.commit(buffer, {.target = 0, .bytes = 9}, false);
      },
      "AM of 9 bytes to rank 0: the buffer was prepared for 8; prepare a larger buffer");
}

TEST_F(misuse, an_exception_that_leaves_the_runtime_ends_the_job) {
  const auto leave = [] {
    support::thread_rendezvous rendezvous(1);
    try {
      runtime job({.configuration = support::settings_of({}),
                   .boot = std::make_unique<support::thread_bootstrap>(rendezvous, 0)});
      throw std::runtime_error("something else");
    } catch (const std::runtime_error&) {
      std::fputs("caught\n", stderr);
    }
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(1),
              "an exception left the scope of the runtime; catch it inside");
}

TEST(refusal, collectives_about_which_ranks_disagree_stay_refused) {
  support::thread_rendezvous rendezvous(2);
  const auto run = [&rendezvous](rank_id rank) {
    runtime job({.configuration = support::settings_of(
                     rank == 0 ? std::vector<std::string>{}
                               : std::vector<std::string>{"ATOLL_COLL_SCAN=chain"}),
                 .boot = std::make_unique<support::thread_bootstrap>(rendezvous, rank)});
    for (int attempt = 0; attempt < 2; ++attempt) {
      try {
        coll::open(job);
        ADD_FAILURE() << "opened at attempt " << attempt;
      } catch (const atl::error& refused) {
        EXPECT_NE(std::string(refused.what()).find("forces other algorithms"), std::string::npos);
      }
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
}

TEST_F(misuse, a_refused_setting_of_collectives_is_named_though_nobody_catches_in_time) {
  const auto leave = [] {
    support::thread_rendezvous rendezvous(1);
    try {
      runtime job({.configuration = support::settings_of({"ATOLL_COLL_SCAN=nonsense"}),
                   .boot = std::make_unique<support::thread_bootstrap>(rendezvous, 0)});
      coll::open(job);
    } catch (const std::runtime_error&) {
      std::fputs("caught\n", stderr);
    }
  };
  EXPECT_EXIT(leave(), testing::ExitedWithCode(1),
              "left the scope of the runtime; before, this was refused: "
              "ATOLL_COLL_SCAN: no algorithm \"nonsense\".*; catch it inside");
}

TEST(exhaustion, a_full_heap_is_a_null_pointer_and_what_is_freed_comes_back) {
  support::run_job(2, [](runtime& job) {
    EXPECT_EQ(job.heap().allocate(std::size_t{1} << 40), nullptr);
    std::vector<void*> blocks;
    while (void* const block = job.heap().allocate(1 << 20)) blocks.push_back(block);
    EXPECT_GE(blocks.size(), 60u);  // of a heap of 64 MiB
    EXPECT_LE(blocks.size(), 64u);
    for (void* block : blocks) job.heap().free(block);
    EXPECT_NE(job.heap().allocate(30 << 20), nullptr);
  });
}

TEST(exhaustion, the_host_limit_bounds_all_heaps_together) {
  support::run_job(2,
                   [](runtime& job) {
                     std::size_t got = 0;
                     while (job.heap().allocate(1 << 20) != nullptr) ++got;
                     job.world().barrier();
                     EXPECT_LE(layer_access::host_memory(job).header().committed_bytes.load(),
                               40u << 20);
                     EXPECT_LE(got, 40u);
                     job.world().barrier();
                   },
                   {"ATOLL_MEMORY_LIMIT=40M"});
}

// The number of two ranks that are refused, by the setting's name, when each has another value of
// it.
int refused_for(const char* name, const char* first_value, const char* second_value) {
  support::thread_rendezvous rendezvous(2);
  std::atomic<int> refused = 0;
  const auto rank = [&](rank_id self, const char* value) {
    try {
      runtime job({.configuration = support::settings_of({text(name, "=", value)}),
                   .boot = std::make_unique<support::thread_bootstrap>(rendezvous, self)});
    } catch (const error& problem) {
      EXPECT_NE(std::string(problem.what()).find(name), std::string::npos);
      ++refused;
    }
  };
  std::thread first([&] { rank(0, first_value); });
  std::thread second([&] { rank(1, second_value); });
  first.join();
  second.join();
  return refused;
}

TEST(start, ranks_that_chose_differently_are_told_what) {
  EXPECT_EQ(refused_for("ATOLL_RING_CELLS", "512", "1024"), 2);
  // Collectives rely on this: a sender with another path would not fill the memory lent to it.
  EXPECT_EQ(refused_for("ATOLL_RMA_PATH", "direct", "am"), 2);
  // The messages of a barrier of one radix are not those of another.
  EXPECT_EQ(refused_for("ATOLL_BARRIER_RADIX", "2", "4"), 2);
}

}  // namespace
}  // namespace atl
