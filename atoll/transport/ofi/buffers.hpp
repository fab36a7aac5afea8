// SPDX-License-Identifier: BSD-3-Clause
//
// The buffers of one endpoint, all in one mapping. Packets are sent from buffers of two sizes,
// separate for requests and replies, so that a reply never waits for a request's buffer. Packets
// that carry credits alone have buffers of their own, and so have packets that are received.
// prepare() never takes the last few buffers of messages, so that prepared packets that are not
// committed yet do not block other senders. Addresses for all are reserved at start, and a buffer
// takes memory when it is first used; taking one is popping an index. Used under the context's
// lock.
#pragma once

#include <atoll/transport/ofi/memory.hpp>
#include <atoll/transport/ofi/packet.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace atl::transport::ofi {

/// Indices of equal buffers that are free. Those that were never taken come last, and nothing is
/// written for them, so what they stand for takes memory when it is needed first.
class free_list {
 public:
  static constexpr std::uint32_t no_index = ~std::uint32_t{0};

  explicit free_list(std::uint32_t count) : count_(count) { returned_.reserve(count); }

  std::uint32_t take() noexcept {
    if (returned_.empty()) return used_ == count_ ? no_index : used_++;
    const std::uint32_t index = returned_.back();
    returned_.pop_back();
    return index;
  }
  void give_back(std::uint32_t index) noexcept { returned_.push_back(index); }  // has room
  std::uint32_t count() const noexcept { return count_; }
  /// Indices below this one were taken at some time.
  std::uint32_t used() const noexcept { return used_; }
  std::size_t free() const noexcept { return returned_.size() + (count_ - used_); }
  bool all_free() const noexcept { return returned_.size() == used_; }

 private:
  std::uint32_t count_;
  std::uint32_t used_ = 0;
  std::vector<std::uint32_t> returned_;
};

/// The reserves from which packets and transfers are sent: each has buffers and records (works.hpp)
/// of its own. context.hpp says why.
enum class reserve : std::uint8_t { request, reply, credits, transfer };

constexpr reserve reserve_of(channel via) noexcept {
  return via == channel::request ? reserve::request : reserve::reply;
}

/// The numbers and sizes of buffers.
struct buffer_plan {
  static constexpr std::size_t large_bytes = (packet_max + 63) / 64 * 64;
  static constexpr std::size_t credits_bytes = 64;
  static_assert(credits_bytes >= sizeof(packet_head));

  std::size_t small_bytes = 8192;  // where small messages gather
  std::uint32_t small = 80;        // per channel
  std::uint32_t large = 20;        // per channel
  std::uint32_t small_kept = 16;   // of them, that prepare() leaves to others
  std::uint32_t large_kept = 4;
  std::uint32_t credits = 64;
  std::uint32_t receives = 8;
  std::size_t receive_bytes = std::size_t{1} << 20;

  std::size_t channel_bytes() const noexcept { return small * small_bytes + large * large_bytes; }
  std::uint32_t channel_count() const noexcept { return small + large; }
};

/// The buffers, by number: of a channel the small ones first, then the large ones.
class buffers {
 public:
  static constexpr std::uint32_t no_buffer = free_list::no_index;

  explicit buffers(const buffer_plan& plan)
      : plan_(plan),
        memory_(2 * plan.channel_bytes() + plan.credits * buffer_plan::credits_bytes +
                plan.receives * plan.receive_bytes),
        small_{free_list(plan.small), free_list(plan.small)},
        large_{free_list(plan.large), free_list(plan.large)},
        credits_(plan.credits) {}

  /// A buffer for a packet of up to `bytes`; `no_buffer` when all are in use.
  std::uint32_t take(channel via, std::size_t bytes) noexcept {
    const auto channel_index = static_cast<std::size_t>(via);
    if (bytes <= plan_.small_bytes) return small_[channel_index].take();
    const std::uint32_t index = large_[channel_index].take();
    return index == no_buffer ? no_buffer : plan_.small + index;
  }
  /// The same for prepare(), which leaves some.
  std::uint32_t take_to_prepare(channel via, std::size_t bytes) noexcept {
    const auto channel_index = static_cast<std::size_t>(via);
    const bool is_small = bytes <= plan_.small_bytes;
    const free_list& from = is_small ? small_[channel_index] : large_[channel_index];
    if (from.free() <= (is_small ? plan_.small_kept : plan_.large_kept)) return no_buffer;
    return take(via, bytes);
  }
  bool is_small(std::uint32_t index) const noexcept { return index < plan_.small; }

  /// A buffer for a packet's head alone; `no_buffer` when all are in use.
  std::uint32_t take_for_credits() noexcept { return credits_.take(); }
  std::byte* for_credits(std::uint32_t index) const noexcept {
    return memory_.data() + 2 * plan_.channel_bytes() + index * buffer_plan::credits_bytes;
  }

  void give_back(channel via, std::uint32_t index) noexcept {
    const auto channel_index = static_cast<std::size_t>(via);
    if (is_small(index)) return small_[channel_index].give_back(index);
    large_[channel_index].give_back(index - plan_.small);
  }
  /// A transfer copies through a buffer of the request channel.
  void give_back(reserve origin, std::uint32_t index) noexcept {
    if (origin == reserve::credits) return credits_.give_back(index);
    give_back(origin == reserve::reply ? channel::reply : channel::request, index);
  }
  std::byte* address_of(channel via, std::uint32_t index) const noexcept {
    std::byte* const base = memory_.data() + static_cast<std::size_t>(via) * plan_.channel_bytes();
    if (is_small(index)) return base + index * plan_.small_bytes;
    return base + plan_.small * plan_.small_bytes +
           (index - plan_.small) * buffer_plan::large_bytes;
  }

  std::byte* receive(std::uint32_t index) const noexcept {
    return for_credits(plan_.credits) + index * plan_.receive_bytes;
  }

  const buffer_plan& plan() const noexcept { return plan_; }
  std::span<std::byte> registered() const noexcept { return {memory_.data(), memory_.size()}; }

 private:
  buffer_plan plan_;
  mapping memory_;
  std::array<free_list, 2> small_;
  std::array<free_list, 2> large_;
  free_list credits_;
};

}  // namespace atl::transport::ofi
