// SPDX-License-Identifier: BSD-3-Clause
//
// Tests that the bad cable does to frames exactly what was set, and the same every time.
#include <tests/support/wire/cable.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace atl::wire {
namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr int many = 10'000;

cable cable_that(std::initializer_list<const char*> conditions, std::uint64_t seed = 1) {
  cable made(seed);
  for (const char* word : conditions) EXPECT_TRUE(made.set(word)) << word;
  return made;
}

/// The copies of each of many frames, one each millisecond.
std::vector<departures> sent_through(cable& path, bool needed = false) {
  std::vector<departures> sent;
  for (int i = 0; i < many; ++i) sent.push_back(path.enter(1000, i * ms, needed));
  return sent;
}

int copies(const std::vector<departures>& sent, std::size_t wanted) {
  int count = 0;
  for (const departures& each : sent) count += each.count == wanted;
  return count;
}

TEST(cable, that_does_nothing_lets_all_through_at_once) {
  cable good(1);
  const auto sent = sent_through(good);
  EXPECT_EQ(copies(sent, 1), many);
  EXPECT_EQ(sent[7].at_ns[0], 7 * ms);
}

TEST(cable, loses_and_doubles_the_share_it_is_told_to) {
  cable bad = cable_that({"loss=0.05", "twice=0.1"});
  const auto sent = sent_through(bad);
  EXPECT_NEAR(copies(sent, 0), 0.05 * many, 0.01 * many);
  EXPECT_NEAR(copies(sent, 2), 0.095 * many, 0.015 * many);
}

TEST(cable, decides_the_same_for_the_same_seed_and_else_not) {
  const auto pattern = [](cable path) {
    std::vector<std::size_t> counts;
    for (const departures& each : sent_through(path)) counts.push_back(each.count);
    return counts;
  };
  const auto first = pattern(cable_that({"loss=0.5"}));
  EXPECT_EQ(first, pattern(cable_that({"loss=0.5", "delay_ms=3", "jitter_ms=2"})));
  EXPECT_NE(first, pattern(cable_that({"loss=0.5"}, 2)));
}

TEST(cable, neither_loses_nor_doubles_what_is_needed) {
  cable bad = cable_that({"loss=0.5", "twice=0.5"});
  EXPECT_EQ(copies(sent_through(bad, true), 1), many);
}

TEST(cable, holds_frames_for_the_delay_and_up_to_the_jitter_more) {
  cable slow = cable_that({"delay_ms=20", "jitter_ms=5", "late=0.5", "late_ms=100"});
  int late = 0;
  const auto sent = sent_through(slow);
  for (int i = 0; i < many; ++i) {
    std::int64_t held = sent[static_cast<std::size_t>(i)].at_ns[0] - i * ms;
    if (held >= 120 * ms) ++late, held -= 100 * ms;
    EXPECT_GE(held, 20 * ms);
    EXPECT_LE(held, 25 * ms);
  }
  EXPECT_NEAR(late, many / 2, many / 20);
}

TEST(cable, counts_what_comes_out_behind_a_later_frame) {
  cable sample(1);
  for (int i = 0; i < 4; ++i) sample.enter(100, 0, false);
  for (const std::uint64_t number : {1, 3, 2, 2, 4}) sample.leave(number, 100, ms);
  EXPECT_NE(sample.statistics().find("\"overtaken\": 2, "), std::string::npos)
      << sample.statistics();
  EXPECT_NE(sample.statistics().find("\"held_us\": 5000}"), std::string::npos)
      << sample.statistics();
}

TEST(cable, carries_so_many_bits_and_drops_what_the_queue_does_not_hold) {
  cable narrow = cable_that({"rate_mbit=10", "queue_kib=64"});
  std::int64_t last = 0;
  int through = 0;
  for (int i = 0; i < 1000; ++i) {
    const departures out = narrow.enter(1250, 0, false);  // each takes a millisecond
    if (out.count == 0) continue;
    ++through;
    EXPECT_EQ(out.at_ns[0], last + ms);
    last = out.at_ns[0];
  }
  EXPECT_EQ(through, 64 * 1024 / 1250 + 1);
  EXPECT_EQ(narrow.enter(1250, last, false).at_ns[0], last + ms);  // the queue is empty by then
}

TEST(cable, that_is_cut_lets_nothing_through_until_it_is_mended) {
  cable cut = cable_that({"cut=1"});
  EXPECT_EQ(cut.enter(100, 0, true).count, 0U);
  EXPECT_TRUE(cut.set("cut=0"));
  EXPECT_EQ(cut.enter(100, 0, false).count, 1U);
}

TEST(cable, refuses_words_that_make_no_sense) {
  cable sample(1);
  for (const char* word : {"", "=", "loss", "loss=", "loss=2", "loss=-1", "loss=nan", "loss=0.1x",
                           "gain=1", "delay_ms=inf"}) {
    EXPECT_FALSE(sample.set(word)) << word;
  }
}

}  // namespace
}  // namespace atl::wire
