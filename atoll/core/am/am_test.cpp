// SPDX-License-Identifier: BSD-3-Clause
//
// Handler tables: what is registered is found for the messages it accepts, and for no others.
#include <atoll/core/am/am.hpp>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace atl {
namespace {

void nothing(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t) {}

transport::arrival message(handler_id handler, am_category kind, transport::channel via,
                           std::uint8_t nargs = 0) {
  return {.via = via, .kind = kind, .handler = handler, .nargs = nargs};
}

constexpr auto request = transport::channel::request, reply = transport::channel::reply;

TEST(handler_table, an_empty_index_accepts_nothing) {
  handler_table table;
  EXPECT_FALSE(table.taken(3));
  EXPECT_EQ(table.find(message(3, am_category::short_, request)), nullptr);
}

TEST(handler_table, finds_by_category_channel_and_arguments) {
  handler_table table;
  ASSERT_TRUE(table.set(3, {.run = nothing,
                            .nargs = 2,
                            .categories = am_entry::accept_medium | am_entry::accept_long,
                            .channels = am_entry::accept_request}));
  EXPECT_TRUE(table.taken(3));
  EXPECT_NE(table.find(message(3, am_category::medium, request, 2)), nullptr);
  EXPECT_NE(table.find(message(3, am_category::long_, request, 2)), nullptr);
  EXPECT_EQ(table.find(message(3, am_category::short_, request, 2)), nullptr);
  EXPECT_EQ(table.find(message(3, am_category::medium, reply, 2)), nullptr);
  EXPECT_EQ(table.find(message(3, am_category::medium, request, 1)), nullptr);
  EXPECT_EQ(table.find(message(4, am_category::medium, request, 2)), nullptr);
}

TEST(handler_table, an_index_is_given_once) {
  handler_table table;
  EXPECT_TRUE(table.set(9, {.run = nothing}));
  EXPECT_FALSE(table.set(9, {.run = nothing}));
}

TEST(handler_table, free_indices_are_given_from_the_top_until_none_is_left) {
  handler_table table;
  handler_id index = 0;
  ASSERT_TRUE(table.set(255, {.run = nothing}));
  ASSERT_TRUE(table.set_any(250, {.run = nothing}, index));
  EXPECT_EQ(index, 254);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(table.set_any(250, {.run = nothing}, index));
  EXPECT_EQ(index, 250);
  EXPECT_FALSE(table.set_any(250, {.run = nothing}, index));
}

TEST(handler_table, threads_that_register_get_different_indices) {
  handler_table table;
  std::vector<std::vector<handler_id>> got(4);
  {
    std::vector<std::jthread> threads;
    for (auto& indices : got) {
      threads.emplace_back([&] {
        for (handler_id index;
             indices.size() < 30 && table.set_any(128, {.run = nothing}, index);) {
          indices.push_back(index);
        }
      });
    }
  }
  std::vector<int> times(256);
  for (const auto& indices : got) {
    EXPECT_EQ(indices.size(), 30u);
    for (const handler_id index : indices) ++times[index];
  }
  for (const int count : times) EXPECT_LE(count, 1);
}

}  // namespace
}  // namespace atl
