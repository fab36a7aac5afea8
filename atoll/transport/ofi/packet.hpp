// SPDX-License-Identifier: BSD-3-Clause
//
// The format of packets: each holds one or several active messages of one channel from one rank.
//
//     [head: job tag, source, channel, number, credits][part][part]...
//     part = [what it is, where it goes, sizes][arguments][payload, or where a long one is]
//
// Packets from one rank to another are numbered. When a broken connection has swallowed one, the
// next one shows that it is missing. Everything begins at a multiple of 8 bytes, so that a payload
// can be used where it lies. A packet without parts carries credits alone. The reader trusts
// nothing (tag, source or sizes) before it has compared it with what it knows. Nothing here knows
// libfabric.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/transport/message.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace atl::transport::ofi {

struct packet_head {
  static constexpr std::uint32_t reply_bit = 1u << 31;
  static constexpr std::uint32_t ask_bit = 1u << 30;     // for credits, and for an answer
  static constexpr std::uint32_t answer_bit = 1u << 29;  // to that, whether or not there are any

  std::uint64_t tag;                     // of the job
  std::uint32_t from;                    // source, and these bits
  std::array<std::uint16_t, 2> credits;  // packets of the receiver's that were handled, by channel
  std::uint64_t number;                  // of this packet, among those from here to there

  rank_id source() const noexcept { return from & ~(reply_bit | ask_bit | answer_bit); }
  bool asks() const noexcept { return (from & ask_bit) != 0; }
  bool answers() const noexcept { return (from & answer_bit) != 0; }
  channel via() const noexcept {
    return (from & reply_bit) != 0 ? channel::reply : channel::request;
  }
};
static_assert(sizeof(packet_head) == 24);

/// The index in a table with an entry for each channel.
constexpr std::size_t index_of(channel via) noexcept { return static_cast<std::size_t>(via); }

struct part_head {
  category kind;
  std::uint8_t handler;
  std::uint8_t nargs;
  std::uint8_t spare;
  std::uint32_t where_and_bytes;  // crossing : 7, endpoint : 7, payload of a medium : 18
};
static_assert(sizeof(part_head) == 8);

/// Where the payload of a long message is.
struct long_place {
  std::uint64_t address;
  std::uint64_t bytes;
};

inline constexpr std::size_t payload_max = 65536;
/// Most bytes of a part before its payload.
inline constexpr std::size_t part_front_max = sizeof(part_head) + 4 * max_args;
/// The longest packet: one message of the longest payload.
inline constexpr std::size_t packet_max = sizeof(packet_head) + part_front_max + payload_max;

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

/// Bytes of a part before its payload.
constexpr std::size_t front_bytes(unsigned nargs) {
  return sizeof(part_head) + padded(4 * std::size_t{nargs});
}

/// Bytes that a message takes in a packet.
inline std::size_t part_bytes(const message& out) noexcept {
  const std::size_t front = front_bytes(out.nargs);
  if (out.kind == category::medium) return front + padded(out.bytes);
  return out.kind == category::long_ ? front + sizeof(long_place) : front;
}

/// Writes what comes before the payload of a medium, front_bytes() of it.
inline void write_front(std::byte* data, const message& out) noexcept {
  const std::uint64_t bytes = out.kind == category::medium ? out.bytes : 0;
  const part_head head{.kind = out.kind,
                       .handler = out.handler,
                       .nargs = out.nargs,
                       .spare = 0,
                       .where_and_bytes = std::uint32_t{out.crossing} << 25 |
                                          std::uint32_t{out.endpoint} << 18 |
                                          static_cast<std::uint32_t>(bytes)};
  std::memcpy(data, &head, sizeof head);
  if (out.nargs != 0) std::memcpy(data + sizeof head, out.args, 4 * std::size_t{out.nargs});
}

/// Writes a whole part, part_bytes() of it.
inline void write_part(std::byte* data, const message& out) noexcept {
  write_front(data, out);
  std::byte* const tail = data + front_bytes(out.nargs);
  if (out.kind == category::medium && out.bytes != 0) {
    std::memcpy(tail, out.payload, out.bytes);
  } else if (out.kind == category::long_) {
    const long_place place{out.address, out.bytes};
    std::memcpy(tail, &place, sizeof place);
  }
}

/// Reads the head of what arrived; false when it is no packet of this job.
inline bool read_head(std::span<const std::byte> packet, std::uint64_t tag, rank_id ranks,
                      packet_head& head) noexcept {
  if (packet.size() < sizeof head || packet.size() > packet_max || packet.size() % 8 != 0) {
    return false;
  }
  std::memcpy(&head, packet.data(), sizeof head);
  return head.tag == tag && head.source() < ranks;
}

/// Takes a packet apart, one message after the other.
class part_reader {
 public:
  /// `packet` has passed read_head().
  part_reader(std::span<std::byte> packet, const packet_head& head) noexcept
      : remaining_(packet.subspan(sizeof head)), source_(head.source()), via_(head.via()) {}

  /// The next message, whose arguments and payload stay in the packet; false at the end, and when
  /// what follows makes no sense.
  bool next(arrival& in) noexcept {
    part_head head;
    if (remaining_.size() < sizeof head) return false;
    std::memcpy(&head, remaining_.data(), sizeof head);
    const std::size_t bytes = head.where_and_bytes & bytes_mask;
    const std::size_t front = front_bytes(head.nargs);
    if (head.nargs > max_args || head.kind > category::long_ || bytes > payload_max) return false;
    const std::size_t tail = head.kind == category::long_ ? sizeof(long_place) : padded(bytes);
    if (front + tail > remaining_.size()) return false;
    in = {.source = source_,
          .via = via_,
          .kind = head.kind,
          .handler = head.handler,
          .nargs = head.nargs,
          .endpoint = static_cast<std::uint8_t>(head.where_and_bytes >> 18 & 0x7f),
          .crossing = static_cast<std::uint8_t>(head.where_and_bytes >> 25),
          .args = reinterpret_cast<const std::uint32_t*>(remaining_.data() + sizeof head),
          .payload = head.kind == category::medium ? remaining_.data() + front : nullptr,
          .bytes = bytes};
    if (head.kind == category::long_) read_long(remaining_.data() + front, in);
    remaining_ = remaining_.subspan(front + tail);
    return true;
  }

  /// Whether all of the packet made sense.
  bool is_complete() const noexcept { return remaining_.empty(); }

 private:
  static constexpr std::uint32_t bytes_mask = (1u << 18) - 1;

  static void read_long(const std::byte* from, arrival& in) noexcept {
    long_place place;
    std::memcpy(&place, from, sizeof place);
    in.payload = reinterpret_cast<void*>(static_cast<std::uintptr_t>(place.address));
    in.bytes = place.bytes;
  }

  std::span<std::byte> remaining_;
  rank_id source_;
  channel via_;
};

}  // namespace atl::transport::ofi
