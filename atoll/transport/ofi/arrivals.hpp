// SPDX-License-Identifier: BSD-3-Clause
//
// Packets that have arrived and are not handled yet, of one channel, oldest first. They lie in the
// receive buffers, or on the *shelf*: memory of their own, to which they are copied when they may
// not be handled yet and the network needs its receive buffers back.
//
//     [on the shelf: oldest ... newest] [in receive buffers: oldest ... newest]  <- push
//      pop ->                            shelve ->
//
// A packet moves to the shelf in the order in which it came, so the shelf holds the older ones. It
// is a linked queue of slots: moving looks at each packet once, however many already wait. It has
// a slot for every packet that credits allow to be under way, so it is never full; its memory is
// reserved at start and touched when it is used.
#pragma once

#include <atoll/transport/ofi/memory.hpp>
#include <atoll/transport/ofi/packet.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace atl::transport::ofi {

/// A packet that waits to be handled.
struct arrived {
  static constexpr std::uint32_t no_buffer = ~std::uint32_t{0};

  std::byte* data = nullptr;
  std::uint32_t bytes = 0;
  std::uint32_t receive = no_buffer;  // the buffer that it lies in; no_buffer: on the shelf
};

/// A queue of at most `most` packets that lie in receive buffers.
class packet_queue {
 public:
  explicit packet_queue(std::size_t most) : memory_(most * sizeof(arrived)), most_(most) {}

  bool empty() const noexcept { return count_ == 0; }
  std::size_t size() const noexcept { return count_; }
  void push(const arrived& packet) noexcept { place((first_ + count_++) % most_) = packet; }
  arrived pop() noexcept {
    const arrived packet = place(first_);
    // An empty queue starts at its first place again, so that it touches little memory.
    first_ = --count_ == 0 ? 0 : (first_ + 1) % most_;
    return packet;
  }

 private:
  arrived& place(std::size_t index) const noexcept {
    return reinterpret_cast<arrived*>(memory_.data())[index];
  }

  mapping memory_;
  std::size_t most_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

/// A queue of copied packets, and the slots that they lie in. A slot is in use from push() until
/// give_back(), which may come in another order.
class shelf {
 public:
  explicit shelf(std::size_t slots)
      : memory_((slots == 0 ? 1 : slots) * slot_bytes), unused_(memory_.data()) {}

  bool empty() const noexcept { return first_ == nullptr; }
  std::size_t size() const noexcept { return count_; }

  /// There must be a free slot.
  void push(const arrived& packet) noexcept {
    std::byte* const slot = take();
    std::memcpy(slot + sizeof(head), packet.data, packet.bytes);
    write_head(slot, {nullptr, packet.bytes});
    if (last_ != nullptr) {
      write_head(last_, {slot, read_head(last_).bytes});
    } else {
      first_ = slot;
    }
    last_ = slot;
    ++count_;
  }

  arrived pop() noexcept {
    std::byte* const slot = first_;
    const head header = read_head(slot);
    first_ = header.next;
    if (first_ == nullptr) last_ = nullptr;
    --count_;
    return {.data = slot + sizeof(head), .bytes = header.bytes};
  }

  /// The packet was handled.
  void give_back(const arrived& packet) noexcept {
    std::byte* const slot = packet.data - sizeof(head);
    write_head(slot, {free_, 0});
    free_ = slot;
  }

 private:
  struct alignas(8) head {
    std::byte* next;  // in the queue, or of the free slots
    std::uint32_t bytes;
  };
  static constexpr std::size_t slot_bytes = (sizeof(head) + packet_max + 63) / 64 * 64;

  static head read_head(const std::byte* slot) noexcept {
    head header;
    std::memcpy(&header, slot, sizeof header);
    return header;
  }
  static void write_head(std::byte* slot, const head& header) noexcept {
    std::memcpy(slot, &header, sizeof header);
  }

  std::byte* take() noexcept {
    std::byte* slot = free_;
    if (slot != nullptr) {
      free_ = read_head(slot).next;
      return slot;
    }
    slot = unused_;
    unused_ += slot_bytes;
    return slot;
  }

  mapping memory_;
  std::byte* unused_;          // the first slot that never was in use
  std::byte* free_ = nullptr;  // the last one that was given back
  std::byte* first_ = nullptr;
  std::byte* last_ = nullptr;
  std::size_t count_ = 0;
};

/// The arrived packets of one channel.
class arrivals {
 public:
  /// At most `most` packets may be under way to this rank; `shelved` of them may go to the shelf.
  arrivals(std::size_t most, std::size_t shelved) : most_(most), line_(most), shelf_(shelved) {}

  bool empty() const noexcept { return line_.empty() && shelf_.empty(); }
  bool full() const noexcept { return line_.size() + shelf_.size() == most_; }
  void push(const arrived& packet) noexcept { line_.push(packet); }

  /// The oldest packet; give_back() ends its use when it is on the shelf.
  arrived pop() noexcept { return shelf_.empty() ? line_.pop() : shelf_.pop(); }
  void give_back(const arrived& packet) noexcept { shelf_.give_back(packet); }

  /// Whether a packet lies in a receive buffer.
  bool holds_buffers() const noexcept { return !line_.empty(); }

  /// Moves the oldest packet of a receive buffer to the shelf; returns the buffer's number.
  std::uint32_t shelve() noexcept {
    const arrived packet = line_.pop();
    shelf_.push(packet);
    return packet.receive;
  }

 private:
  std::size_t most_;
  packet_queue line_;
  shelf shelf_;
};

}  // namespace atl::transport::ofi
