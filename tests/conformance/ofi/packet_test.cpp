// SPDX-License-Identifier: BSD-3-Clause
//
// Tests packets: written parts are read back, and everything else is rejected.
#include <atoll/transport/ofi/packet.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace atl::transport::ofi {
namespace {

constexpr std::uint64_t tag = 0x1234'5678'9abc'def0;

std::vector<std::byte> packet_of(const std::vector<message>& messages) {
  std::size_t bytes = sizeof(packet_head);
  for (const message& each : messages) bytes += part_bytes(each);
  std::vector<std::byte> packet(bytes);
  const packet_head head{.tag = tag, .from = 3 | packet_head::reply_bit, .credits = {4, 5}};
  std::memcpy(packet.data(), &head, sizeof head);
  std::size_t offset = sizeof head;
  for (const message& each : messages) {
    write_part(packet.data() + offset, each);
    offset += part_bytes(each);
  }
  return packet;
}

TEST(packets, carry_messages_of_every_kind_unchanged) {
  std::array<std::uint32_t, max_args> args;
  std::iota(args.begin(), args.end(), 100u);
  std::vector<std::byte> payload(5001, std::byte{0x5a});
  std::vector<message> messages;
  for (std::uint8_t nargs = 0; nargs <= max_args; ++nargs) {
    messages.push_back(
        {.handler = nargs, .nargs = nargs, .endpoint = 127, .crossing = 126, .args = args.data()});
    messages.push_back({.kind = category::medium,
                        .handler = 255,
                        .nargs = nargs,
                        .args = args.data(),
                        .payload = payload.data(),
                        .bytes = payload.size() - nargs});
    messages.push_back({.kind = category::long_,
                        .handler = 7,
                        .nargs = nargs,
                        .args = args.data(),
                        .bytes = std::size_t{9} << 33,
                        .address = 0x7fff'1234'5678});
  }
  auto packet = packet_of(messages);
  packet_head head;
  const std::size_t fits = std::min(packet.size(), packet_max);
  ASSERT_TRUE(read_head({packet.data(), fits / 8 * 8}, tag, 4, head));
  EXPECT_EQ(head.source(), 3u);
  EXPECT_EQ(head.via(), channel::reply);
  part_reader parts(packet, head);
  for (const message& sent : messages) {
    arrival in;
    ASSERT_TRUE(parts.next(in));
    EXPECT_EQ(in.kind, sent.kind);
    EXPECT_EQ(in.handler, sent.handler);
    EXPECT_EQ(in.nargs, sent.nargs);
    EXPECT_EQ(in.endpoint, sent.endpoint);
    EXPECT_EQ(in.crossing, sent.crossing);
    EXPECT_EQ(in.bytes, sent.bytes);
    EXPECT_TRUE(std::equal(in.args, in.args + in.nargs, args.begin()));
    if (sent.kind == category::medium) {
      EXPECT_EQ(std::memcmp(in.payload, payload.data(), in.bytes), 0);
    } else if (sent.kind == category::long_) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(in.payload), sent.address);
    }
  }
  arrival in;
  EXPECT_FALSE(parts.next(in));
  EXPECT_TRUE(parts.is_complete());
}

TEST(packets, of_other_jobs_and_ranks_are_not_believed) {
  auto packet = packet_of({{.handler = 1}});
  packet_head head;
  EXPECT_TRUE(read_head(packet, tag, 4, head));
  EXPECT_FALSE(read_head(packet, tag + 1, 4, head));
  EXPECT_FALSE(read_head(packet, tag, 3, head)) << "there is no rank 3";
  EXPECT_FALSE(read_head({packet.data(), packet.size() - 1}, tag, 4, head));
  EXPECT_FALSE(read_head({packet.data(), 8}, tag, 4, head));
  EXPECT_FALSE(read_head({}, tag, 4, head));
}

/// Whether everything that a message refers to, except the place of a long one, lies in this
/// packet.
bool lies_inside(const std::vector<std::byte>& packet, const arrival& in) {
  const auto within = [&](const void* address, std::size_t bytes) {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(packet.data());
    return offset <= packet.size() && bytes <= packet.size() - offset;
  };
  return within(in.args, 4 * std::size_t{in.nargs}) &&
         (in.kind != category::medium || within(in.payload, in.bytes));
}

// For any bytes, no part reaches out of the packet, and a last part that does not end with the
// packet is detected: the test adds up the sizes of the parts that were read and compares.
TEST(packets, with_any_bytes_are_read_inside_their_bounds) {
  std::mt19937 random(7);
  int complete = 0, broken = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> packet(sizeof(packet_head) + 8 * (random() % 40));
    for (auto& each : packet) each = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
    packet_head head;
    std::memcpy(&head, packet.data(), sizeof head);
    part_reader parts(packet, head);
    arrival in;
    std::size_t used = sizeof(packet_head);
    while (parts.next(in)) {
      ASSERT_LE(in.nargs, max_args);
      ASSERT_TRUE(lies_inside(packet, in));
      used += front_bytes(in.nargs);
      used += in.kind == category::long_ ? sizeof(long_place) : padded(in.bytes);
    }
    ASSERT_EQ(parts.is_complete(), used == packet.size());
    ++(parts.is_complete() ? complete : broken);
  }
  EXPECT_GT(complete, 500) << "packets of nothing, at least";
  EXPECT_GT(broken, 500);
}

// The same for a valid packet that was changed in one place.
TEST(packets, that_are_cut_or_spoiled_are_found_out) {
  std::array<std::uint32_t, max_args> args{};
  std::vector<std::byte> payload(48);
  const message medium{.kind = category::medium,
                       .nargs = 3,
                       .args = args.data(),
                       .payload = payload.data(),
                       .bytes = payload.size()};
  const auto good = packet_of({{.nargs = 2, .args = args.data()}, medium});
  const auto count = [](std::vector<std::byte> packet, bool& is_complete) {
    packet_head head;
    std::memcpy(&head, packet.data(), sizeof head);
    part_reader parts(packet, head);
    arrival in;
    int read = 0;
    while (parts.next(in)) ++read;
    is_complete = parts.is_complete();
    return read;
  };
  bool is_complete = false;
  EXPECT_EQ(count(good, is_complete), 2);
  EXPECT_TRUE(is_complete);
  EXPECT_EQ(count({good.begin(), good.end() - 8}, is_complete), 1) << "the payload is cut";
  EXPECT_FALSE(is_complete);
  const std::size_t second = sizeof(packet_head) + front_bytes(2);
  const std::size_t location = offsetof(part_head, where_and_bytes);
  const std::size_t nargs = offsetof(part_head, nargs);
  for (const auto& [offset, value] : {std::pair{second, 3},
                                      {second + nargs, max_args + 1},
                                      {second + location, 49},
                                      {second + location + 2, 1}}) {
    auto spoiled = good;
    spoiled[offset] = static_cast<std::byte>(value);
    EXPECT_EQ(count(spoiled, is_complete), 1) << offset;
    EXPECT_FALSE(is_complete) << offset;
  }
  auto longer = good;
  longer.resize(good.size() + 8);  // a short message without arguments
  EXPECT_EQ(count(longer, is_complete), 3);
  EXPECT_TRUE(is_complete);
}

}  // namespace
}  // namespace atl::transport::ofi
