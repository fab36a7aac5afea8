// SPDX-License-Identifier: BSD-3-Clause
//
// Counters must be exact however many threads count, and must survive the end of a thread.
#include <atoll/trace/counters.hpp>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace atl::trace {
namespace {

std::uint64_t now(counter counter_id) { return read()[static_cast<std::size_t>(counter_id)]; }

TEST(counters, add_up_over_threads_that_live_and_that_ended) {
  const std::uint64_t old_puts = now(counter::puts);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int k = 0; k < 10000; ++k) count(counter::puts);
    });
  }
  for (int k = 0; k < 10; ++k) (void)now(counter::puts);  // a reader disturbs nobody
  for (std::thread& each : threads) each.join();
  count(counter::puts, 5);
  EXPECT_EQ(now(counter::puts) - old_puts, 40005u);
}

TEST(counters, table_shows_what_was_counted_and_nothing_else) {
  totals sums{};
  sums[static_cast<std::size_t>(counter::get_bytes)] = 4096;
  const std::string text = table(sums);
  EXPECT_NE(text.find("get bytes"), std::string::npos);
  EXPECT_NE(text.find("4096"), std::string::npos);
  EXPECT_EQ(text.find("polls"), std::string::npos);
}

TEST(counters, every_counter_has_a_name) {
  for (std::size_t index = 0; index < counter_count; ++index) {
    EXPECT_FALSE(name_of(static_cast<counter>(index)).empty());
  }
}

}  // namespace
}  // namespace atl::trace
