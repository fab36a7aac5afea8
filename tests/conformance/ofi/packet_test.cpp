// SPDX-License-Identifier: BSD-3-Clause
//
// Packets: what is written comes out again, and nothing else is believed.
#include <atoll/transport/ofi/packet.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace atl::transport::ofi {
namespace {

constexpr std::uint64_t tag = 0x1234'5678'9abc'def0;

std::vector<std::byte> packet_of(const std::vector<message>& all) {
  std::size_t bytes = sizeof(packet_head);
  for (const message& each : all) bytes += part_bytes(each);
  std::vector<std::byte> packet(bytes);
  const packet_head head{.tag = tag, .from = 3 | packet_head::reply_bit, .credits = {4, 5}};
  std::memcpy(packet.data(), &head, sizeof head);
  std::size_t at = sizeof head;
  for (const message& each : all) {
    write_part(packet.data() + at, each);
    at += part_bytes(each);
  }
  return packet;
}

TEST(packets, carry_messages_of_every_kind_unchanged) {
  std::array<std::uint32_t, max_args> args;
  std::iota(args.begin(), args.end(), 100u);
  std::vector<std::byte> payload(5001, std::byte{0x5a});
  std::vector<message> all;
  for (std::uint8_t nargs = 0; nargs <= max_args; ++nargs) {
    all.push_back(
        {.handler = nargs, .nargs = nargs, .endpoint = 127, .crossing = 126, .args = args.data()});
    all.push_back({.kind = category::medium,
                   .handler = 255,
                   .nargs = nargs,
                   .args = args.data(),
                   .payload = payload.data(),
                   .bytes = payload.size() - nargs});
    all.push_back({.kind = category::long_,
                   .handler = 7,
                   .nargs = nargs,
                   .args = args.data(),
                   .bytes = std::size_t{9} << 33,
                   .address = 0x7fff'1234'5678});
  }
  auto packet = packet_of(all);
  packet_head head;
  const std::size_t fits = std::min(packet.size(), packet_max);
  ASSERT_TRUE(read_head({packet.data(), fits / 8 * 8}, tag, 4, head));
  EXPECT_EQ(head.source(), 3u);
  EXPECT_EQ(head.via(), channel::reply);
  part_reader parts(packet, head);
  for (const message& sent : all) {
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
  EXPECT_TRUE(parts.whole());
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

// Whatever the bytes, no part reaches out of the packet (the address sanitizer watches), and what
// does not end where the packet ends is found out.
TEST(packets, with_any_bytes_are_read_inside_their_bounds) {
  std::mt19937 random(7);
  volatile unsigned total = 0;  // so that all of it is read
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> packet(sizeof(packet_head) + 8 * (random() % 40));
    for (auto& each : packet) each = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
    packet_head head;
    std::memcpy(&head, packet.data(), sizeof head);
    part_reader parts(packet, head);
    arrival in;
    unsigned sum = 0;
    while (parts.next(in)) {
      for (unsigned i = 0; i < in.nargs; ++i) sum += in.args[i];
      if (in.kind != category::medium) continue;
      const auto* const payload = static_cast<const unsigned char*>(in.payload);
      for (std::size_t i = 0; i < in.bytes; ++i) sum += payload[i];
    }
    total = total + sum;
    EXPECT_TRUE(parts.whole() || packet.size() > sizeof(packet_head));
  }
}

}  // namespace
}  // namespace atl::transport::ofi
