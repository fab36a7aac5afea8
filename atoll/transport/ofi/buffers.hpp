// SPDX-License-Identifier: BSD-3-Clause
//
// The buffers of one endpoint, all in one mapping: those that packets are sent from, in two sizes,
// apart for requests and replies so that a reply never waits for a request's buffer; those that
// packets are received into; and shelves, where requests are put that may not be handled yet and
// whose receive buffer is needed. Everything is made at start; taking one is popping an index.
// Used under the context's lock.
#pragma once

#include <atoll/transport/ofi/memory.hpp>
#include <atoll/transport/ofi/packet.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace atl::transport::ofi {

/// Indices of equal buffers that are free.
class free_list {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  explicit free_list(std::uint32_t count) : count_(count) {
    for (std::uint32_t i = count; i-- > 0;) free_.push_back(i);
  }
  std::uint32_t take() noexcept {
    if (free_.empty()) return none;
    const std::uint32_t index = free_.back();
    free_.pop_back();
    return index;
  }
  void give_back(std::uint32_t index) noexcept { free_.push_back(index); }  // within its capacity
  std::uint32_t count() const noexcept { return count_; }
  bool all_free() const noexcept { return free_.size() == count_; }

 private:
  std::uint32_t count_;
  std::vector<std::uint32_t> free_;
};

/// What buffers there are.
struct buffer_plan {
  static constexpr std::size_t large_bytes = (packet_max + 63) / 64 * 64;

  std::size_t small_bytes = 8192;  // where small messages gather
  std::uint32_t small = 64;        // per channel
  std::uint32_t large = 16;        // per channel
  std::uint32_t receives = 8;
  std::size_t receive_bytes = std::size_t{1} << 20;
  std::uint32_t shelves = 0;

  std::size_t channel_bytes() const noexcept { return small * small_bytes + large * large_bytes; }
};

/// The buffers, by number: of a channel the small ones first, then the large ones.
class buffers {
 public:
  static constexpr std::uint32_t none = free_list::none;

  explicit buffers(const buffer_plan& plan)
      : plan_(plan),
        memory_(2 * plan.channel_bytes() + plan.receives * plan.receive_bytes),
        shelf_memory_(std::max<std::size_t>(plan.shelves, 1) * buffer_plan::large_bytes),
        small_{free_list(plan.small), free_list(plan.small)},
        large_{free_list(plan.large), free_list(plan.large)},
        shelves_(plan.shelves) {}

  /// A buffer for a packet of up to `bytes`; `none` when all are in use.
  std::uint32_t take(channel via, std::size_t bytes) noexcept {
    const auto at = static_cast<std::size_t>(via);
    if (bytes <= plan_.small_bytes) return small_[at].take();
    const std::uint32_t index = large_[at].take();
    return index == none ? none : plan_.small + index;
  }
  void give_back(channel via, std::uint32_t index) noexcept {
    const auto at = static_cast<std::size_t>(via);
    if (index < plan_.small) return small_[at].give_back(index);
    large_[at].give_back(index - plan_.small);
  }
  std::byte* at(channel via, std::uint32_t index) const noexcept {
    std::byte* const base = memory_.data() + static_cast<std::size_t>(via) * plan_.channel_bytes();
    if (index < plan_.small) return base + index * plan_.small_bytes;
    return base + plan_.small * plan_.small_bytes +
           (index - plan_.small) * buffer_plan::large_bytes;
  }

  std::byte* receive(std::uint32_t index) const noexcept {
    return memory_.data() + 2 * plan_.channel_bytes() + index * plan_.receive_bytes;
  }

  std::uint32_t take_shelf() noexcept { return shelves_.take(); }
  void give_back_shelf(std::uint32_t index) noexcept { shelves_.give_back(index); }
  std::byte* shelf(std::uint32_t index) const noexcept {
    return shelf_memory_.data() + index * buffer_plan::large_bytes;
  }

  const buffer_plan& plan() const noexcept { return plan_; }
  std::span<std::byte> registered() const noexcept { return {memory_.data(), memory_.size()}; }

 private:
  buffer_plan plan_;
  mapping memory_;        // what the network reads and writes
  mapping shelf_memory_;  // what it does not
  std::array<free_list, 2> small_;
  std::array<free_list, 2> large_;
  free_list shelves_;
};

}  // namespace atl::transport::ofi
