// SPDX-License-Identifier: BSD-3-Clause
//
// Tests packets that wait to be handled: they come out in the order of arrival, whatever part of
// them was moved to the shelf, and slots of the shelf are reused.
#include <atoll/transport/ofi/arrivals.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

namespace atl::transport::ofi {
namespace {

constexpr std::size_t most = 64;

/// A packet with a number in it, in "receive buffer" number 7.
struct numbered {
  std::vector<std::byte> memory;
  arrived packet;

  numbered(std::uint32_t number, std::size_t bytes)
      : memory(bytes, static_cast<std::byte>(number)) {
    std::memcpy(memory.data(), &number, sizeof number);
    packet = {.data = memory.data(), .bytes = static_cast<std::uint32_t>(bytes), .receive = 7};
  }
};

std::uint32_t number_of(const arrived& packet) {
  std::uint32_t number;
  std::memcpy(&number, packet.data, sizeof number);
  return number;
}

TEST(arrivals, move_to_the_shelf_oldest_first) {
  arrivals waiting(most, most);
  std::deque<numbered> packets;
  for (std::uint32_t i = 0; i < 3; ++i) waiting.push(packets.emplace_back(i, 100).packet);
  EXPECT_EQ(waiting.shelve(), 7u);
  EXPECT_TRUE(waiting.holds_buffers());
  const arrived first = waiting.pop();
  EXPECT_EQ(number_of(first), 0u);
  EXPECT_EQ(first.receive, arrived::no_buffer);
  EXPECT_EQ(first.bytes, 100u);
  EXPECT_EQ(number_of(waiting.pop()), 1u);
  EXPECT_EQ(waiting.pop().receive, 7u);
  EXPECT_TRUE(waiting.empty());
  waiting.give_back(first);
}

TEST(arrivals, are_full_when_as_many_wait_as_may_be_under_way) {
  arrivals waiting(most, most);
  std::deque<numbered> packets;
  for (std::uint32_t i = 0; i < most; ++i) {
    EXPECT_FALSE(waiting.full());
    waiting.push(packets.emplace_back(i, 40).packet);
    if (i % 2 == 0) waiting.shelve();
  }
  EXPECT_TRUE(waiting.full());
}

// Packets that are handled, at most three at a time, end in any order; then all slots of the shelf
// are free again and hold as many packets as before.
TEST(arrivals, keep_their_order_and_their_bytes_through_any_mix) {
  std::mt19937 dice(11);
  arrivals waiting(most, most);
  std::deque<numbered> model;
  std::vector<std::pair<numbered, arrived>> handled;
  std::uint32_t next = 0;
  for (int step = 0; step < 100'000; ++step) {
    const unsigned action = dice() % 4;
    if (action <= 1 && model.size() + handled.size() < most) {
      const std::size_t bytes = dice() % 50 == 0 ? packet_max / 8 * 8 : 24 + 8 * (dice() % 20);
      waiting.push(model.emplace_back(next++, bytes).packet);
    } else if (action == 2 && waiting.holds_buffers()) {
      waiting.shelve();
    } else if (!model.empty() && handled.size() < 3) {
      const arrived packet = waiting.pop();
      handled.emplace_back(std::move(model.front()), packet);
      model.pop_front();
    } else if (!handled.empty()) {
      const std::size_t which = dice() % handled.size();
      const auto& [expected, packet] = handled[which];
      ASSERT_EQ(packet.bytes, expected.packet.bytes);
      ASSERT_EQ(std::memcmp(packet.data, expected.memory.data(), packet.bytes), 0);
      if (packet.receive == arrived::no_buffer) waiting.give_back(packet);
      handled.erase(handled.begin() + static_cast<std::ptrdiff_t>(which));
    }
    ASSERT_EQ(waiting.empty(), model.empty());
  }
  EXPECT_GT(next, 10'000u);
}

}  // namespace
}  // namespace atl::transport::ofi
