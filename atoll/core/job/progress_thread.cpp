// SPDX-License-Identifier: BSD-3-Clause
//
// Starts the thread. The handlers that it runs are the program's and may write to its variables, so
// it can be held still although it blocks all signals.
#include <atoll/core/job/progress_thread.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/blocked_signals.hpp>
#include <atoll/base/threads/thread_turn.hpp>
#include <atoll/memory/stopped_threads.hpp>

#include <string>
#include <system_error>

namespace atl {

std::jthread start_progress_thread(runtime& served, std::string_view remedy) {
  try {
    const blocked_signals meanwhile;
    return std::jthread([&served](const std::stop_token& stop) {
      memory::accept_stops();
      ask_for_short_turns();
      served.run_progress_thread(stop);
    });
  } catch (const std::system_error& refused) {
    throw error("progress thread", refused.what(), std::string(remedy));
  }
}

}  // namespace atl
