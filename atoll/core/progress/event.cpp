// SPDX-License-Identifier: BSD-3-Clause
//
// The pool of operation records. A short critical section suffices: only transfers that take
// microseconds (over messages) need a record at all.
#include <atoll/core/progress/event.hpp>

#include <new>

namespace atl {

operation* operation_pool::take() noexcept {
  const std::lock_guard hold(guard_);
  if (free_ == nullptr) {
    std::unique_ptr<operation[]> chunk(new (std::nothrow) operation[chunk_records]);
    if (!chunk) return nullptr;
    try {
      chunks_.reserve(chunks_.size() + 1);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    for (std::size_t i = 0; i < chunk_records; ++i) {
      chunk[i].next = free_;
      free_ = &chunk[i];
    }
    chunks_.push_back(std::move(chunk));
  }
  operation* const record = free_;
  free_ = record->next;
  record->pending.store(0, std::memory_order_relaxed);
  record->status.store(operation_status::done, std::memory_order_relaxed);
  return record;
}

void operation_pool::give_back(operation* record) noexcept {
  const std::lock_guard hold(guard_);
  record->next = free_;
  free_ = record;
}

}  // namespace atl
