// SPDX-License-Identifier: BSD-3-Clause
//
// The heap of a segment: the one allocator of shared memory that every front uses, so that a
// pointer from one is valid in another. Two-level segregated fit (TLSF; Masmano et al., 2004): free
// blocks hang in lists by size class, two bitmaps find the first list that is large enough, and
// neighbours merge when freed, so every call takes constant time, also late in a long run.
//
// A block's 16-byte header lies before it in the segment; lists and counters are private to the
// owner. The heap starts empty and grows by asking a callback, at the end only, in steps from 1 MiB
// to 64 MiB; it never touches a page it does not hand out, but for the header of the free block
// behind. Each header carries a tag made from its address and state, so freeing twice, freeing a
// foreign pointer and writing over a header are told apart and end the program with the address and
// the heap's range.
//
// Threads: any thread may call anything; one mutex, because allocation is not a data path.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace atl::memory {

/// The usage of a heap at one moment, headers included: used + free = committed <= limit.
struct heap_usage {
  std::size_t used_bytes = 0;
  std::size_t free_bytes = 0;
  std::size_t committed_bytes = 0;
  std::size_t limit_bytes = 0;
  std::size_t largest_free_bytes = 0;  // the largest free block; growth may give more
  std::size_t blocks = 0;              // in use
};

/// Where a heap lives and how it grows.
struct heap_options {
  std::byte* base = nullptr;    // aligned to 16 bytes at least
  std::size_t limit_bytes = 0;  // address range from base on, at most 2^46
  /// Makes [base, base + size) usable, or returns false and changes nothing. Sizes are multiples of
  /// 4 KiB and only grow. Called with the heap locked; must not throw nor call the heap.
  std::function<bool(std::size_t size_bytes)> commit;
};

class heap {
 public:
  static constexpr std::size_t default_alignment = 16;
  static constexpr std::size_t largest_alignment = std::size_t{1} << 30;

  explicit heap(heap_options options);
  heap(const heap&) = delete;
  heap& operator=(const heap&) = delete;

  /// A block of at least `size_bytes` (a block of its own for 0) at a multiple of `alignment`;
  /// nullptr when the limit or the commit callback leaves no room, or the alignment is not a power
  /// of two up to largest_alignment. The content is undefined.
  void* allocate(std::size_t size_bytes, std::size_t alignment = default_alignment) noexcept;

  /// Gives a block back; nothing for nullptr. Ends the program for any other pointer that is not a
  /// live block of this heap.
  void free(void* address) noexcept;

  /// The same, but says what is wrong with the pointer instead of ending the program, and then
  /// leaves all as it was. Empty when the block was given back.
  std::string_view try_free(void* address) noexcept;
  /// The misuse that free() would report for the pointer; empty when it is a live block.
  std::string_view find_misuse(const void* address) const noexcept;

  /// The bytes that may be used at a live block: its size, rounded up.
  std::size_t usable_size(const void* address) const noexcept;

  /// Whether an address lies in the committed part, live or not.
  bool contains(const void* address) const noexcept;

  heap_usage usage() const noexcept;

  /// The largest block, its header included, that could be allocated if the heap grew to
  /// `size_bytes`, at most to its limit, and there was memory for that.
  std::size_t largest_block(std::size_t size_bytes) const noexcept;

  /// Walks all blocks and lists. Empty when all invariants hold, else what is wrong first.
  std::string find_damage() const;

 private:
  struct block;
  struct list_place {
    unsigned first, second;
  };
  struct request {
    std::size_t bytes;      // header included, a multiple of 16
    std::size_t alignment;  // of what follows the header
  };

  static constexpr unsigned first_count = 40;   // powers of two, from 512 bytes on
  static constexpr unsigned second_count = 32;  // equal parts of each

  static list_place place_of(std::size_t bytes) noexcept;
  static list_place place_above(std::size_t bytes) noexcept;
  static std::size_t front_gap(const std::byte* start, std::size_t alignment) noexcept;
  static bool fits(const block* candidate, request wanted) noexcept;

  std::byte* end() const noexcept { return base_ + committed_; }
  block* block_after(const block* b) const noexcept;
  block* block_before(const block* b) const noexcept;
  block* block_at(const void* address) const noexcept;
  std::string_view misuse(const void* address) const noexcept;
  block* checked_block(const void* address) const noexcept;
  void give_back(block* b) noexcept;

  void insert(block* b) noexcept;
  void remove(block* b) noexcept;
  block* find(request wanted) const noexcept;
  block* first_from(list_place& place) const noexcept;
  block* grow(request wanted) noexcept;
  void extend(std::size_t bytes) noexcept;
  void set_size(block* b, std::size_t bytes) noexcept;
  block* cut_front(block* b, std::size_t bytes) noexcept;
  void* take(block* b, request wanted) noexcept;
  void join_after(block* b) noexcept;
  std::size_t largest_free() const noexcept;
  std::string find_block_damage(const block* b, const block* previous) const;
  std::size_t count_listed(std::size_t most) const noexcept;

  mutable std::mutex mutex_;
  std::byte* base_;
  std::size_t limit_;
  std::function<bool(std::size_t)> commit_;
  std::size_t committed_ = 0;
  std::size_t used_ = 0;
  std::size_t blocks_ = 0;
  block* last_ = nullptr;  // the block that ends at end()
  std::uint64_t first_map_ = 0;
  std::array<std::uint32_t, first_count> second_map_{};
  std::array<std::array<block*, second_count>, first_count> lists_{};
};

}  // namespace atl::memory
