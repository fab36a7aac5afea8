// SPDX-License-Identifier: BSD-3-Clause
//
// How an operation that is not complete at once is started, in each of its forms: the form decides
// which record counts its pieces, `start` sends them. Blocking forms wait on a record on their own
// stack, so only the explicit forms take one from the pool.
#pragma once

#include <atoll/base/assert.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>

namespace atl {

/// Ends the job when an operation that waits or sends a request is called in a handler.
inline void refuse_in_handler(segment& memory, const char* action, rank_id target) noexcept {
  if (current_handler == handler_context::outside) [[likely]]
    return;
  memory.owner().fail(text(action, " from rank ", memory.owner().rank(), " to rank ", target),
                      "called inside a handler, which may only reply",
                      "note the work and do it after the handler has returned");
}

/// Calls start(record), waits until the record's pieces have ended, and returns how they ended.
template <class Start>
operation_status complete_blocking(segment& memory, Start start) noexcept {
  operation record;
  start(record);
  memory.owner().wait_until([&] { return record.complete(); });
  return record.take_status();
}

/// Calls start(record), and lets `done` hold the record; false when start() returns false, and
/// then nothing is started.
template <class Start>
bool start_explicit(segment& memory, event& done, Start start) noexcept {
  operation* const record = layer_access::operations(memory.owner()).take();
  ATOLL_ASSERT(record != nullptr, "out of memory for an operation record");
  if (!start(*record)) {
    layer_access::operations(memory.owner()).give_back(record);
    return false;
  }
  done = event(record);
  return true;
}

}  // namespace atl
