// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of free blocks: one per multiple of 64 bytes up to 512, then one per power of two up to the
// largest message; larger blocks go to the system. A block lies in cache lines of its own, and so
// has the alignment that messages want. A list holds at most 1024 blocks and at most half a
// megabyte. Blocks that are given back after the end of a thread's lists (by destructors of other
// thread-local objects) go to the system too.
//
// These are not the blocks of collectives (coll/engine/block_pool.hpp). There one owner guards the
// lists, a block carries its pool and its size in a cache line of its own, and the pool frees at
// its end the blocks of calls that never ended. Here each thread has its own lists and no lock, and
// the caller knows the size, so that nothing lies before a block.
#include <atoll/base/threads/thread_end.hpp>
#include <upcxx/blocks.hpp>

#include <array>
#include <bit>

namespace atl::upcxx_front {
namespace {

constexpr std::size_t step_bytes = 64;
constexpr std::size_t steps = 8;
constexpr std::size_t doublings = 8;  // 1 KiB to 128 KiB
constexpr std::size_t classes = steps + doublings;
constexpr std::size_t largest_bytes = step_bytes * steps << doublings;
constexpr std::size_t list_bytes = std::size_t{512} << 10;
constexpr std::align_val_t alignment{block_alignment};

struct free_block {
  free_block* next;
};

struct block_list {
  free_block* first = nullptr;
  unsigned count = 0;
};

struct block_lists {
  std::array<block_list, classes> lists;

  block_lists() = default;
  block_lists(const block_lists&) = delete;
  block_lists& operator=(const block_lists&) = delete;
  ~block_lists() {
    for (block_list& each : lists) {
      while (each.first != nullptr) {
        free_block* const gone = each.first;
        each.first = gone->next;
        ::operator delete(gone, alignment);
      }
    }
  }
};

// Null until this thread gives its first block back. `initial-exec`: found by one load, no call.
constinit thread_local block_lists* own_lists [[gnu::tls_model("initial-exec")]] = nullptr;

// The place of a list. The size is at most the largest, and not 0.
std::size_t class_of(std::size_t bytes) noexcept {
  const std::size_t lines = (bytes - 1) / step_bytes;
  if (lines < steps) [[likely]]
    return lines;
  return steps + static_cast<std::size_t>(std::bit_width(lines / steps)) - 1;
}
std::size_t bytes_of(std::size_t place) noexcept {
  return place < steps ? (place + 1) * step_bytes : step_bytes * steps << (place - steps + 1);
}
std::size_t most_free(std::size_t place) noexcept {
  return place < steps ? 1024 : list_bytes / bytes_of(place);
}

[[gnu::cold, gnu::noinline]] void* take_from_system(std::size_t bytes) {
  const bool is_kept = bytes <= largest_bytes;
  return ::operator new(is_kept ? bytes_of(class_of(bytes)) : bytes, alignment);
}

}  // namespace

void* take_block(std::size_t bytes) {
  if (bytes > largest_bytes) [[unlikely]]
    return take_from_system(bytes);
  if (own_lists == nullptr) [[unlikely]]
    return take_from_system(bytes);
  block_list& list = own_lists->lists[class_of(bytes)];
  if (list.first == nullptr) [[unlikely]]
    return take_from_system(bytes);
  free_block* const taken = list.first;
  list.first = taken->next;
  --list.count;
  return taken;
}

void give_block(void* block, std::size_t bytes) noexcept {
  const std::size_t place = bytes <= largest_bytes ? class_of(bytes) : classes;
  if (own_lists == nullptr) [[unlikely]]
    make_for_thread(own_lists);
  if (place == classes || own_lists->lists[place].count >= most_free(place)) [[unlikely]] {
    ::operator delete(block, alignment);
    return;
  }
  block_list& list = own_lists->lists[place];
  list.first = ::new (block) free_block{list.first};
  ++list.count;
}

}  // namespace atl::upcxx_front
