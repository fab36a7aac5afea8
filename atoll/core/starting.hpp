// SPDX-License-Identifier: BSD-3-Clause
//
// How an operation that is not complete at once is started, in each of its forms: the form decides
// which record counts its pieces, `start` sends them. Blocking forms wait on a record on their own
// stack, so only the explicit forms take one from the pool.
#pragma once

#include <atoll/base/assert.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/runtime.hpp>

namespace atl {

/// Ends the job when an operation that waits or sends a request is called in a handler.
inline void refuse_in_handler(segment& at, const char* what, rank_id target) noexcept {
  if (current_handler == handler_context::none) [[likely]]
    return;
  at.owner().fail(text(what, " from rank ", at.owner().rank(), " to rank ", target),
                  "called inside a handler, which may only reply",
                  "note the work and do it after the handler has returned");
}

/// Calls start(record) and waits until the record's pieces have ended.
template <class Start>
void complete_blocking(segment& at, Start start) noexcept {
  operation record;
  start(record);
  at.owner().wait_until([&] { return record.complete(); });
}

/// Makes `done` stand for what start(record) starts; false, and nothing is started, when it says
/// so.
template <class Start>
bool start_explicit(segment& at, event& done, Start start) noexcept {
  operation* const record = at.owner().operations().take();
  ATOLL_ASSERT(record != nullptr, "out of memory for an operation record");
  if (!start(*record)) {
    at.owner().operations().give_back(record);
    return false;
  }
  done = event(record);
  return true;
}

}  // namespace atl
