// SPDX-License-Identifier: BSD-3-Clause
//
// When events of ranks go up the tree, and how many messages a job costs the supervisor: counted
// for trees of daemons up to 10,000 hosts, with the classes that carry the events and without
// sockets.
#include <tools/hosts/event_batch.hpp>
#include <tools/hosts/protocol.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace atl::tools {
namespace {

using namespace std::chrono_literals;
using kind = rank_event::kind;
using time_point = event_batch::clock::time_point;

rank_event event_of(rank_id rank, kind type, std::uint32_t number = 0) {
  return {.type = type, .rank = rank, .number = number, .version = {}, .blob = {}};
}

const time_point now{1000s};
constexpr auto never = time_point::max();

TEST(event_batch, what_all_ranks_have_done_is_due_at_once) {
  event_batch batch(3);
  EXPECT_EQ(batch.due_at(), never);
  batch.add(event_of(0, kind::joined), now);
  batch.add(event_of(1, kind::joined), now + 1ms);
  EXPECT_EQ(batch.due_at(), now + event_batch::hold_time);
  batch.add(event_of(2, kind::joined), now + 2ms);
  EXPECT_EQ(batch.due_at(), now + 2ms);
  const auto pieces = batch.take();
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces.front().size(), 3u);
  EXPECT_EQ(batch.due_at(), never);
  EXPECT_TRUE(batch.take().empty());
}

TEST(event_batch, what_some_have_done_waits_for_a_moment_and_then_for_the_others_only) {
  event_batch batch(2);
  batch.add(event_of(0, kind::entered, 1), now);
  EXPECT_EQ(batch.take().front().size(), 1u);
  batch.add(event_of(1, kind::entered, 1), now + 3s);
  EXPECT_EQ(batch.due_at(), now + 3s);
}

TEST(event_batch, the_first_exit_code_and_what_is_left_of_a_torn_tree_do_not_wait) {
  event_batch batch(100);
  batch.add(event_of(0, kind::ended, 0), now);
  EXPECT_GT(batch.due_at(), now);
  batch.add(event_of(1, kind::stopped, 2), now);
  EXPECT_EQ(batch.due_at(), now);
  batch.take();
  batch.add(event_of(2, kind::stopped, 2), now);
  EXPECT_GT(batch.due_at(), now);
  batch.stop_holding();
  batch.add(event_of(3, kind::left), now);
  EXPECT_EQ(batch.due_at(), now);
}

TEST(event_batch, order_is_kept_and_a_piece_fits_into_a_message) {
  event_batch batch(40);
  for (rank_id rank = 0; rank < 40; ++rank) {
    auto event = event_of(rank, kind::entered, 1);
    event.blob.resize(64 * 1024);
    batch.add(std::move(event), now);
  }
  rank_id next = 0;
  const auto pieces = batch.take();
  EXPECT_LE(pieces.size(), 4u);
  for (const auto& piece : pieces) {
    EXPECT_LE(protocol::body_of(protocol::events{piece}).size(), protocol::up_bytes_max);
    for (const auto& event : piece) EXPECT_EQ(event.rank, next++);
  }
  EXPECT_EQ(next, 40u);
}

/// A daemon of the tree, with the process that has its host's ranks.
struct part {
  event_batch host;
  event_batch subtree;
};

/// All ranks do one thing; returns how many messages about it the supervisor gets.
std::size_t messages_at_the_top(std::uint32_t hosts, rank_id ranks_per_host, std::uint32_t radix) {
  std::vector<rank_id> below(hosts + 1);
  for (std::uint32_t node = hosts; node > 0; --node) {
    below[node] += ranks_per_host;
    below[protocol::parent_of(node, radix)] += below[node];
  }
  std::vector<part> parts;
  for (std::uint32_t node = 0; node <= hosts; ++node)
    parts.push_back({event_batch(ranks_per_host), event_batch(below[node])});
  std::size_t messages = 0;
  for (std::uint32_t node = hosts; node > 0; --node) {
    for (rank_id rank = 0; rank < ranks_per_host; ++rank)
      parts[node].host.add(event_of(rank, kind::left), now);
    for (auto& piece : parts[node].host.take())
      for (auto& event : piece) parts[node].subtree.add(std::move(event), now);
    EXPECT_EQ(parts[node].subtree.due_at(), now);  // its children have come before
    const auto parent = protocol::parent_of(node, radix);
    for (auto& piece : parts[node].subtree.take()) {
      if (parent == 0) ++messages;
      for (auto& event : piece)
        if (parent != 0) parts[parent].subtree.add(std::move(event), now);
    }
  }
  return messages;
}

TEST(event_batch, the_supervisor_hears_once_of_each_daemon_that_it_has_started) {
  EXPECT_EQ(messages_at_the_top(1, 8, 32), 1u);
  EXPECT_EQ(messages_at_the_top(4, 8, 32), 4u);
  EXPECT_EQ(messages_at_the_top(7, 3, 2), 2u);
  EXPECT_EQ(messages_at_the_top(1000, 10, 32), 32u);
  // 10^5 ranks: a message carries 32,768 of their events at most.
  EXPECT_LE(messages_at_the_top(10'000, 10, 32), 32u * 2);
}

}  // namespace
}  // namespace atl::tools
