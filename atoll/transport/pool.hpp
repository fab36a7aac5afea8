// SPDX-License-Identifier: BSD-3-Clause
//
// Payload buffers of one rank, in memory that the receiver sees too: the sender claims a block of
// its own pool, writes the payload once, and names the block in a ring cell; the receiver's handler
// reads it in place and then frees it, in any order. So nothing is copied twice, no rank contends
// for another rank's memory, a prepared buffer can be cancelled, and a rank that is behind
// throttles only the ranks that send to it with buffers of their own. Requests and replies have
// separate pools (transport.hpp says why).
//
// A block is claimed by its owner's threads only (compare-exchange, or plain in thread mode single)
// and freed by any rank with one release store. Two sizes: pages for the common small payload, full
// mediums for the rest. Each block's flag has a cache line of its own: the receiver frees a block
// while the sender claims the next one, and they are not to wait for each other's lines. All-zero
// memory is an all-free pool.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/threads/race_annotations.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace atl::transport {

/// The shared part of one pool.
struct pool_memory {
  static constexpr std::uint32_t small_count = 64;
  static constexpr std::uint32_t large_count = 16;
  static constexpr std::size_t small_bytes = 4096;
  static constexpr std::size_t large_bytes = 65536;
  static constexpr std::uint32_t count = small_count + large_count;

  struct alignas(cache_line) flag {
    std::atomic<std::uint32_t> busy;  // 0 free, 1 claimed
  };
  alignas(4096) flag flags[count];
  // The owner found no block, and sleeps until one is freed; a rank that frees one looks at this. A
  // hint: the owner's sleep has a limit.
  alignas(cache_line) std::atomic<bool> owner_waits;
  alignas(4096) std::byte small[small_count][small_bytes];
  std::byte large[large_count][large_bytes];

  std::byte* block(std::uint32_t index) noexcept {
    return index < small_count ? small[index] : large[index - small_count];
  }

  /// Bytes that fit into a block.
  static std::size_t room(std::uint32_t index) noexcept {
    return index < small_count ? small_bytes : large_bytes;
  }

  /// Frees a block; the consumer of the block calls it.
  void free(std::uint32_t index) noexcept {
    // Pairs with the acquire in pool_owner::take(): reads of the payload end before it is reused.
    flags[index].busy.store(0, std::memory_order_release);
  }
};

/// The claiming end, in the owner's process.
class pool_owner {
 public:
  static constexpr std::uint32_t no_block = ~std::uint32_t{0};

  pool_owner(pool_memory& memory, bool threaded) noexcept : memory_(&memory), threaded_(threaded) {}

  /// Claims a block of at least `bytes` (at most large_bytes); `no_block` when all are in use.
  std::uint32_t claim(std::size_t bytes) noexcept {
    return bytes <= pool_memory::small_bytes
               ? scan(0, pool_memory::small_count, small_next_)
               : scan(pool_memory::small_count, pool_memory::large_count, large_next_);
  }

  /// Notes that the block goes to this consumer; the next claim by a thread here is ordered after.
  void hand_over(std::uint32_t index, rank_id consumer) noexcept {
    consumers_[index].store(consumer, std::memory_order_relaxed);
    ordered_before(memory_->block(index));
  }

  /// Frees the blocks that a consumer has not freed and never will, because it is dead.
  void take_back(rank_id consumer) noexcept {
    for (std::uint32_t index = 0; index < pool_memory::count; ++index) {
      // Acquire: a claim forgets the last consumer before it is seen, so these are blocks that the
      // consumer held to its end.
      if (memory_->flags[index].busy.load(std::memory_order_acquire) == 0) continue;
      if (consumers_[index].load(std::memory_order_relaxed) == consumer) memory_->free(index);
    }
  }

  pool_memory& memory() noexcept { return *memory_; }

 private:
  std::uint32_t scan(std::uint32_t first, std::uint32_t count,
                     std::atomic<std::uint32_t>& next) noexcept {
    const std::uint32_t start = next.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t index = (start + i) % count;
      if (take(first + index)) {
        next.store((index + 1) % count, std::memory_order_relaxed);  // a hint: races are harmless
        return first + index;
      }
    }
    return no_block;
  }

  bool take(std::uint32_t index) noexcept {
    std::atomic<std::uint32_t>& busy = memory_->flags[index].busy;
    // Pairs with the release store in pool_memory::free.
    if (busy.load(std::memory_order_acquire) != 0) return false;
    consumers_[index].store(no_rank, std::memory_order_relaxed);
    if (!threaded_) {
      busy.store(1, std::memory_order_relaxed);
      return true;
    }
    std::uint32_t expected = 0;
    // Release: pairs with take_back().
    if (!busy.compare_exchange_strong(expected, 1, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
      return false;
    }
    ordered_after(memory_->block(index));
    return true;
  }

  pool_memory* memory_;
  bool threaded_;
  std::atomic<std::uint32_t> small_next_ = 0;
  std::atomic<std::uint32_t> large_next_ = 0;
  std::array<std::atomic<rank_id>, pool_memory::count> consumers_{};  // of blocks handed over
};

}  // namespace atl::transport
