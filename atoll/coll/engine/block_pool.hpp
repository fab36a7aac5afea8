// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of the collectives: frames of their tasks, messages that arrived early, scratch for
// partial results. Blocks have sizes of powers of two and come from free lists, so a program that
// repeats its collectives allocates nothing after the first few. Large blocks are kept too, up to a
// limit on their total size.
//
// A pool is not thread-safe: its owner guards it. A block knows its pool and its size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace atl::coll {

class block_pool {
 public:
  block_pool() = default;
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;
  /// Also frees what was not given back: operations and messages under way when a runtime ends.
  ~block_pool();

  /// A block of at least `bytes`, aligned to a cache line; ends the program when memory is
  /// exhausted, because a collective cannot be refused halfway.
  void* take(std::size_t bytes) noexcept;

  /// Gives back a block of any pool; null does nothing.
  static void give_back(void* block) noexcept;

  /// The number of allocations from the system: constant while a program repeats itself.
  std::uint64_t allocations() const noexcept { return allocations_; }

 private:
  static constexpr unsigned smallest_shift = 6;
  static constexpr unsigned classes = 42;
  static constexpr std::size_t kept_bytes_max = std::size_t{64} << 20;

  struct head;  // before every block

  std::array<head*, classes> free_{};
  head* first_ = nullptr;       // every block, given back or not
  std::size_t kept_bytes_ = 0;  // in the free lists
  std::uint64_t allocations_ = 0;
};

/// A block that gives itself back; of 0 bytes it is none, and its data are null.
class scratch {
 public:
  scratch(block_pool& pool, std::size_t bytes) noexcept
      : data_(bytes == 0 ? nullptr : static_cast<std::byte*>(pool.take(bytes))) {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { block_pool::give_back(data_); }

  std::byte* data() const noexcept { return data_; }

 private:
  std::byte* data_;
};

}  // namespace atl::coll
