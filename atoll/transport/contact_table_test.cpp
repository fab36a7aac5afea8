// SPDX-License-Identifier: BSD-3-Clause
//
// A state is made at the first contact, once, also when several threads come at the same time.
#include <atoll/transport/contact_table.hpp>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace atl::transport {
namespace {

struct state {
  rank_id peer = no_rank;
};

TEST(contact_table, makes_a_state_at_the_first_contact) {
  contact_table<state> table(1000);
  EXPECT_EQ(table.find(7), nullptr);
  state& made = table.get(7, [] { return state{.peer = 7}; });
  EXPECT_EQ(table.find(7), &made);
  EXPECT_EQ(&table.get(7, [] { return state{.peer = 8}; }), &made);
  EXPECT_EQ(made.peer, 7u);
  unsigned seen = 0;
  table.for_each([&](const state&) { ++seen; });
  EXPECT_EQ(seen, 1u);
}

TEST(contact_table, makes_it_once_for_threads_that_come_together) {
  constexpr rank_id peers = 200;
  contact_table<state> table(peers);
  std::vector<state*> first(peers), second(peers);
  const auto touch_all = [&](std::vector<state*>& found) {
    for (rank_id peer = 0; peer < peers; ++peer)
      found[peer] = &table.get(peer, [&] { return state{.peer = peer}; });
  };
  std::thread other([&] { touch_all(second); });
  touch_all(first);
  other.join();
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace atl::transport
