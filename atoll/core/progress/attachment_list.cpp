// SPDX-License-Identifier: BSD-3-Clause
//
// Joining, advancing, leaving.
#include <atoll/core/progress/attachment_list.hpp>

#include <algorithm>
#include <thread>

namespace atl {

void attachment_list::activate(attachment& item) noexcept {
  // Acquire and release: pairs with the exchange in keep(), so that one sees the other's store.
  if (item.listed_.exchange(true, std::memory_order_acq_rel)) return;
  const std::lock_guard hold(joining_guard_);
  joining_.push_back(&item);
  listed_.fetch_add(1, std::memory_order_relaxed);
}

// A thread that makes an attachment busy stores that first and then tests whether it is listed;
// this function clears the mark first and then tests whether the attachment is busy. So it cannot
// be busy and unlisted.
bool attachment_list::keep(attachment& item) noexcept {
  if (item.busy()) return true;
  item.listed_.exchange(false, std::memory_order_acq_rel);
  return item.busy() && !item.listed_.exchange(true, std::memory_order_acq_rel);
}

bool attachment_list::advance() noexcept {
  // Acquire: pairs with the release below, of the thread that held it before.
  if (advancing_.exchange(true, std::memory_order_acquire)) {
    // Sequentially consistent, here and at the end: either the other thread sees `passed_by_`, or
    // this one finds the list free.
    passed_by_.store(true, std::memory_order_seq_cst);
    if (advancing_.exchange(true, std::memory_order_seq_cst)) return false;
  }
  {
    const std::lock_guard join(joining_guard_);
    active_.insert(active_.end(), joining_.begin(), joining_.end());
    joining_.clear();
  }
  bool ended = false;
  for (std::size_t i = 0; i < active_.size();) {
    attachment& item = *active_[i];
    if (item.advance()) ended = true;
    if (keep(item)) {
      ++i;
      continue;
    }
    active_[i] = active_.back();
    active_.pop_back();
    listed_.fetch_sub(1, std::memory_order_relaxed);
  }
  advancing_.store(false, std::memory_order_seq_cst);
  // The work that brought another thread here may have come too late for this round.
  return passed_by_.exchange(false, std::memory_order_seq_cst) || ended;
}

// The orders are those of advance(). At a fork a thread of the parent may have been advancing, or
// have held the lock: the child would wait for it for ever.
bool attachment_list::retire(attachment& item) noexcept {
  if (::getpid() != owner_) return false;
  while (advancing_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  const std::lock_guard join(joining_guard_);
  const auto gone = std::erase(active_, &item) + std::erase(joining_, &item);
  listed_.fetch_sub(static_cast<std::uint32_t>(gone), std::memory_order_relaxed);
  advancing_.store(false, std::memory_order_seq_cst);
  return passed_by_.exchange(false, std::memory_order_seq_cst);
}

}  // namespace atl
