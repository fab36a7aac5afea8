// SPDX-License-Identifier: BSD-3-Clause
//
// Free lists by size class. The head of a block fills a cache line, so blocks are aligned to one.
#include <atoll/coll/block_pool.hpp>

#include <atoll/base/assert.hpp>

#include <algorithm>
#include <bit>
#include <new>

namespace atl::coll {

struct alignas(64) block_pool::head {
  block_pool* pool;
  head* next_free;
  head* before;  // in the list of all
  head* after;
  unsigned size_class;
};

namespace {
constexpr std::align_val_t line{64};
}

block_pool::~block_pool() {
  while (all_ != nullptr) {
    head* const next = all_->after;
    ::operator delete(all_, line);
    all_ = next;
  }
}

void* block_pool::take(std::size_t bytes) noexcept {
  const auto shift = static_cast<unsigned>(std::bit_width(std::max(bytes, std::size_t{1}) - 1));
  const unsigned size_class = std::max(shift, smallest_shift) - smallest_shift;
  ATOLL_ASSERT(size_class < classes, "a collective asks for too much memory", bytes);
  const std::size_t room = std::size_t{1} << (size_class + smallest_shift);
  if (head* const at = free_[size_class]; at != nullptr) {
    free_[size_class] = at->next_free;
    kept_bytes_ -= room;
    return at + 1;
  }
  void* const memory = ::operator new(sizeof(head) + room, line, std::nothrow);
  ATOLL_ASSERT(memory != nullptr, "out of memory for a collective", bytes);
  ++allocations_;
  head* const at = new (memory) head{.pool = this,
                                     .next_free = nullptr,
                                     .before = nullptr,
                                     .after = all_,
                                     .size_class = size_class};
  if (all_ != nullptr) all_->before = at;
  all_ = at;
  return at + 1;
}

void block_pool::give_back(void* block) noexcept {
  if (block == nullptr) return;
  head* const at = static_cast<head*>(block) - 1;
  block_pool& pool = *at->pool;
  const std::size_t room = std::size_t{1} << (at->size_class + smallest_shift);
  if (pool.kept_bytes_ + room <= kept_bytes_max) {
    at->next_free = pool.free_[at->size_class];
    pool.free_[at->size_class] = at;
    pool.kept_bytes_ += room;
    return;
  }
  (at->before != nullptr ? at->before->after : pool.all_) = at->after;
  if (at->after != nullptr) at->after->before = at->before;
  ::operator delete(at, line);
}

}  // namespace atl::coll
