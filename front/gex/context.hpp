// SPDX-License-Identifier: BSD-3-Clause
//
// Restricted contexts: in a handler, while holding a handler-safe lock, and between Prepare and
// Commit a thread may not communicate, poll or wait. Breaking the rule usually works on a quiet
// machine and deadlocks on a busy one, so it is refused always: the check is two thread-local
// words. Spec: "Calls from restricted context".
#pragma once

#include <atoll/core/thread_state.hpp>

#include <cstdint>

namespace atl::gex {

/// What this thread holds that forbids it to communicate.
struct holdings {
  std::uint32_t locks = 0;     // handler-safe locks
  std::uint32_t prepared = 0;  // 1 between Prepare and Commit or Cancel
  bool notices_exit = false;   // see notice_exit
  bool exits = false;          // exit() was called in this thread, or the thread ends
};
extern constinit thread_local holdings held [[gnu::tls_model("initial-exec")]];

/// Returns only when exit() was called in this thread.
[[gnu::cold]] void refuse_here(const char* call) noexcept;

/// For calls that communicate, poll or wait.
inline void may_communicate(const char* call) noexcept {
  if (current_handler != handler_context::none || (held.locks | held.prepared) != 0) [[unlikely]] {
    refuse_here(call);
  }
}

[[gnu::cold]] void begin_to_notice_exit() noexcept;

/// Called before each handler. When the handler calls exit(), the functions that run then are
/// outside of the handler, which never goes on, and what it holds restricts them no more: else one
/// of them that polls would end the job with another code than the handler's.
inline void notice_exit() noexcept {
  if (!held.notices_exit) [[unlikely]]
    begin_to_notice_exit();
}

/// For replies, which only the handler of a request may send.
[[gnu::cold]] void refuse_reply(const char* call) noexcept;  // returns only as refuse_here
inline void may_reply(const char* call) noexcept {
  if (current_handler != handler_context::request || (held.locks | held.prepared) != 0)
      [[unlikely]] {
    refuse_reply(call);
  }
}

}  // namespace atl::gex
