// SPDX-License-Identifier: BSD-3-Clause
//
// Restricted contexts: in a handler, while holding a handler-safe lock, and between Prepare and
// Commit a thread may not communicate, poll or wait. Breaking the rule usually works on a quiet
// machine and deadlocks on a busy one. The check is two thread-local words. A program that was
// compiled for debugging is refused; another goes on after one warning where GASNet's optimised
// build goes on and this library can. Spec: "Calls from restricted context".
#pragma once

#include <atoll/base/settings.hpp>
#include <atoll/core/progress/thread_state.hpp>

#include <cstdint>
#include <string_view>

namespace atl::gex {

/// The things that this thread holds and that forbid it to communicate.
struct holdings {
  std::uint16_t locks = 0;     // handler-safe locks
  std::uint16_t prepared = 0;  // 1 between Prepare and Commit or Cancel
  bool notices_exit = false;   // see notice_exit
  bool exits = false;          // exit() was called in this thread, or the thread ends
};
extern constinit thread_local holdings held [[gnu::tls_model("initial-exec")]];

/// Whether a call can do its work in a handler all the same, if the program is not checked.
enum class in_handler : std::uint8_t { impossible, possible };

/// Returns when the misuse is tolerated.
[[gnu::cold]] void refuse_call(const char* call, in_handler permission) noexcept;

/// For calls that communicate, poll or wait.
inline void may_communicate(const char* call,
                            in_handler permission = in_handler::impossible) noexcept {
  if (current_handler != handler_context::outside || (held.locks | held.prepared) != 0)
      [[unlikely]] {
    refuse_call(call, permission);
  }
}

[[gnu::cold]] void begin_to_notice_exit() noexcept;

/// Called before each handler. A handler that calls exit() never goes on, so the functions that
/// exit() runs are outside of it, and what it holds no longer restricts them: else the first of
/// them that polls would end the job with another code than the handler's.
inline void notice_exit() noexcept {
  if (!held.notices_exit) [[unlikely]]
    begin_to_notice_exit();
}

/// Decides whether misuse is tolerated from now on (ATOLL_CHECKS, and how the program was
/// compiled).
void choose_strictness(const settings& configuration) noexcept;

/// For a misuse that the call can survive: returns true, after one warning for each call and cause,
/// when it is tolerated, and the caller goes on; else the caller refuses. Before a client is
/// started the environment decides.
[[gnu::cold]] bool tolerated(std::string_view call, std::string_view cause,
                             std::string_view remedy) noexcept;

/// Refuses a misuse that the call can survive, or returns.
[[gnu::cold]] void refuse_unless_tolerated(std::string_view call, std::string_view cause,
                                           std::string_view remedy) noexcept;

/// For replies, which only the handler of a request may send.
[[gnu::cold]] void refuse_reply(const char* call) noexcept;  // returns when that is tolerated
inline void may_reply(const char* call) noexcept {
  if (current_handler != handler_context::request || (held.locks | held.prepared) != 0)
      [[unlikely]] {
    refuse_reply(call);
  }
}

}  // namespace atl::gex
