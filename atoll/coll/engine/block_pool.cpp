// SPDX-License-Identifier: BSD-3-Clause
//
// Free lists by size class. The head of a block fills a cache line, so blocks are aligned to one.
#include <atoll/coll/engine/block_pool.hpp>

#include <atoll/base/assert.hpp>

#include <algorithm>
#include <bit>
#include <new>

namespace atl::coll {

struct alignas(64) block_pool::head {
  block_pool* pool;
  head* next_free;
  head* previous;  // in the list of all
  head* next;
  unsigned size_class;
};

namespace {
constexpr std::align_val_t line{64};
}

block_pool::~block_pool() {
  while (first_ != nullptr) {
    head* const next = first_->next;
    ::operator delete(first_, line);
    first_ = next;
  }
}

void* block_pool::take(std::size_t bytes) noexcept {
  const auto shift = static_cast<unsigned>(std::bit_width(std::max(bytes, std::size_t{1}) - 1));
  const unsigned size_class = std::max(shift, smallest_shift) - smallest_shift;
  ATOLL_ASSERT(size_class < classes, "a collective asks for too much memory", bytes);
  const std::size_t room = std::size_t{1} << (size_class + smallest_shift);
  if (head* const header = free_[size_class]; header != nullptr) {
    free_[size_class] = header->next_free;
    kept_bytes_ -= room;
    return header + 1;
  }
  void* const memory = ::operator new(sizeof(head) + room, line, std::nothrow);
  ATOLL_ASSERT(memory != nullptr, "out of memory for a collective", bytes);
  ++allocations_;
  head* const header = new (memory) head{.pool = this,
                                         .next_free = nullptr,
                                         .previous = nullptr,
                                         .next = first_,
                                         .size_class = size_class};
  if (first_ != nullptr) first_->previous = header;
  first_ = header;
  return header + 1;
}

void block_pool::give_back(void* block) noexcept {
  if (block == nullptr) return;
  head* const header = static_cast<head*>(block) - 1;
  block_pool& pool = *header->pool;
  const std::size_t room = std::size_t{1} << (header->size_class + smallest_shift);
  if (pool.kept_bytes_ + room <= kept_bytes_max) {
    header->next_free = pool.free_[header->size_class];
    pool.free_[header->size_class] = header;
    pool.kept_bytes_ += room;
    return;
  }
  (header->previous != nullptr ? header->previous->next : pool.first_) = header->next;
  if (header->next != nullptr) header->next->previous = header->previous;
  ::operator delete(header, line);
}

}  // namespace atl::coll
