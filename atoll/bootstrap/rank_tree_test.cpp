// SPDX-License-Identifier: BSD-3-Clause
//
// Trees of ranks that are threads of one process: who is whose child, over sockets of the host and
// of the network, strangers, and neighbours that end.
#include <atoll/bootstrap/rank_tree.hpp>

#include <atoll/base/error.hpp>
#include <atoll/bootstrap/rank_sockets.hpp>
#include <tests/support/refuse_call.hpp>

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>

namespace atl::bootstrap {
namespace {

[[noreturn]] void unexpected(rank_id peer, std::optional<int>) {
  throw std::logic_error("rank " + std::to_string(peer) + " ended");
}

/// The trees of all ranks, before they connect.
std::vector<std::unique_ptr<rank_tree>> make_trees(
    rank_id size, bool is_one_host, const rank_tree::ended_action& ended = unexpected) {
  std::vector<std::unique_ptr<rank_tree>> trees;
  for (rank_id rank = 0; rank < size; ++rank)
    trees.push_back(std::make_unique<rank_tree>(
        rank_tree::place{
            .rank = rank, .size = size, .is_one_host = is_one_host, .interface = "127.0.0.1"},
        ended));
  return trees;
}

std::vector<blob> cards_of(const std::vector<std::unique_ptr<rank_tree>>& trees) {
  std::vector<blob> cards;
  for (const auto& each : trees) cards.push_back(each->card());
  return cards;
}

void check_exchange(rank_tree& tree, rank_id rank, rank_id size) {
  for (std::size_t round = 0; round < 3; ++round) {
    const auto blobs = tree.exchange(blob(round * rank, static_cast<std::byte>(rank)));
    ASSERT_EQ(blobs.size(), size);
    for (rank_id other = 0; other < size; ++other)
      ASSERT_EQ(blobs[other], blob(round * other, static_cast<std::byte>(other)));
  }
  tree.fence();
}

void run(rank_id size, bool is_one_host) {
  auto trees = make_trees(size, is_one_host);
  const auto cards = cards_of(trees);
  std::vector<std::jthread> ranks;
  for (rank_id rank = 0; rank < size; ++rank)
    ranks.emplace_back([&, rank] {
      trees[rank]->connect(cards);
      check_exchange(*trees[rank], rank, size);
      trees[rank]->leave();
      trees[rank].reset();
    });
}

TEST(rank_tree, all_ranks_get_the_blobs_of_all) {
  for (const rank_id size : {1U, 2U, 3U, 33U, 34U, 71U}) run(size, true);
}

TEST(rank_tree, the_same_over_the_network) {
  for (const rank_id size : {2U, 35U}) run(size, false);
}

// In a process of its own: system calls stay refused.
TEST(rank_tree, a_system_without_threads_is_named) {
  const auto connect_without_threads = [] {
    auto trees = make_trees(1, true);
    for (const unsigned call : {SYS_clone3, SYS_clone}) support::refuse_call(call, EAGAIN);
    try {
      trees[0]->connect(cards_of(trees));
    } catch (const error& refused) {
      std::fputs(refused.what(), stderr);
      std::_Exit(3);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(connect_without_threads(), testing::ExitedWithCode(3),
              "no thread to watch the other ranks.*ulimit -u");
}

TEST(rank_tree, strangers_do_no_harm) {
  auto trees = make_trees(2, false);
  const auto cards = cards_of(trees);
  auto location = rank_tree::decode_address(cards[0]);
  ASSERT_TRUE(location);
  std::vector<descriptor> strangers;
  for (int i = 0; i < 5; ++i) {
    strangers.push_back(call_over_networks(location->hosts, location->port, 0));
    const blob wrong(36, static_cast<std::byte>(i));
    if (i > 0) write_fully(strangers.back(), wrong);
  }
  std::jthread other([&] { trees[1]->connect(cards), check_exchange(*trees[1], 1, 2); });
  trees[0]->connect(cards);
  check_exchange(*trees[0], 0, 2);
  other.join();
  trees[0]->leave();
  trees[1]->leave();
}

/// Rank 1 of 2 goes, and rank 0's watcher must tell: with which code, if any.
std::optional<int> reported_code_after(void (*go)(rank_tree& leaving)) {
  std::promise<std::optional<int>> promised_code;
  std::atomic<bool> is_reported = false;
  auto trees = make_trees(2, true, [&](rank_id, std::optional<int> code) {
    if (!is_reported.exchange(true)) promised_code.set_value(code);  // pairs with nothing: once
  });
  const auto cards = cards_of(trees);
  std::jthread other([&] {
    trees[1]->connect(cards);
    go(*trees[1]);
    trees[1].reset();
  });
  trees[0]->connect(cards);
  auto answer = promised_code.get_future();
  if (answer.wait_for(std::chrono::seconds(20)) != std::future_status::ready) return -99;
  return answer.get();
}

TEST(rank_tree, a_neighbour_that_is_gone_without_a_word_has_ended) {
  EXPECT_EQ(reported_code_after([](rank_tree&) {}), std::nullopt);
}

TEST(rank_tree, a_neighbour_that_ends_the_job_tells_its_code) {
  EXPECT_EQ(reported_code_after([](rank_tree& leaving) { leaving.end(7); }), 7);
}

// A rank that computes has not read the messages of a peer that has gone since.
TEST(rank_tree, the_last_words_of_a_peer_are_found_behind_messages) {
  const auto said = [](std::vector<std::uint64_t> words, std::optional<std::int32_t> code = {}) {
    blob trees;
    for (const std::uint64_t word : words)
      for (unsigned i = 0; i < 8; ++i) trees.push_back(static_cast<std::byte>(word >> (8 * i)));
    for (unsigned i = 0; code && i < 4; ++i)
      trees.push_back(static_cast<std::byte>(static_cast<std::uint32_t>(*code) >> (8 * i)));
    return rank_tree::farewell_in(trees);
  };
  constexpr std::uint64_t leaves = ~std::uint64_t{0}, ends = leaves - 1;
  EXPECT_FALSE(said({}).has_left);
  EXPECT_FALSE(said({8, 17}).has_left) << "a message, and then it died";
  EXPECT_FALSE(said({8, 17}).code);
  EXPECT_TRUE(said({leaves}).has_left);
  EXPECT_TRUE(said({8, 17, leaves}).has_left);
  EXPECT_EQ(said({ends}, 7).code, 7);
  EXPECT_EQ(said({8, 17, ends}, -3).code, -3);
  EXPECT_FALSE(said({8, 17, ends}, 7).has_left);
}

TEST(rank_tree, lists_and_addresses_are_checked) {
  const rank_tree::entries two{{0, blob(3)}, {1, blob()}};
  EXPECT_EQ(rank_tree::decode_entries(rank_tree::encode(two), 2), two);
  EXPECT_FALSE(rank_tree::decode_entries(rank_tree::encode(two), 1));
  EXPECT_FALSE(rank_tree::decode_entries(blob(7), 2));
  EXPECT_FALSE(rank_tree::decode_address(blob(31)));
  EXPECT_TRUE(rank_tree::decode_address(rank_tree::encode(rank_tree::address{})));
}

}  // namespace
}  // namespace atl::bootstrap
