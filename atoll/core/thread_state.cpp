// SPDX-License-Identifier: BSD-3-Clause
//
// Implicit operations. Records are taken when the first operation that needs one is started, so a
// region of direct transfers ends with an empty event.
#include <atoll/core/thread_state.hpp>

#include <atoll/base/assert.hpp>

namespace atl {

constinit thread_local handler_context current_handler = handler_context::none;

operation* implicit_state::record(implicit kind) noexcept {
  operation*& slot = in_region_ ? region_ : outside_[static_cast<std::size_t>(kind)];
  if (slot == nullptr) slot = pool_.take();
  ATOLL_ASSERT(slot != nullptr, "out of memory for an operation record");
  return slot;
}

bool implicit_state::complete(implicit kind) const noexcept {
  const operation* record = outside_[static_cast<std::size_t>(kind)];
  return record == nullptr || record->complete();
}

void implicit_state::begin_region() noexcept {
  ATOLL_ASSERT(!in_region_, "an access region is open already in this thread; regions do not nest");
  in_region_ = true;
}

event implicit_state::end_region() noexcept {
  ATOLL_ASSERT(in_region_, "no access region is open in this thread");
  in_region_ = false;
  operation* const record = region_;
  region_ = nullptr;
  if (record != nullptr && record->complete()) {
    pool_.give_back(record);
    return event();
  }
  return event(record);
}

}  // namespace atl
