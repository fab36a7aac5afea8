// SPDX-License-Identifier: BSD-3-Clause
//
// The variables are read when they matter: at the start, and when the program has failed.
#include <front/upc/debugging.hpp>

#include <atoll/base/log.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/base/text.hpp>

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

/// Nonzero while this process waits for a debugger, which sets it to 0.
extern "C" {
extern volatile int atoll_upc_frozen;
volatile int atoll_upc_frozen = 0;
}

namespace atl::upc {
namespace {

bool is_asked(const char* variable) noexcept {
  const std::string_view value = foreign_variable(variable);
  return !value.empty() && value != "0" && value != "no";
}

void wait_for_debugger(rank_id thread) {
  __atomic_store_n(&atoll_upc_frozen, 1, __ATOMIC_RELAXED);  // pairs with nothing: a flag
  log_error(text("thread ", thread, ", process ", ::getpid(),
                 ", waits for a debugger; to go on, set atoll_upc_frozen to 0"));
  while (__atomic_load_n(&atoll_upc_frozen, __ATOMIC_RELAXED) != 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace

void freeze_if_asked(rank_id thread) {
  const std::string_view value = foreign_variable("UPC_FREEZE");
  if (value.empty() || value == "no") return;
  if (value == "yes" || value == text(thread)) wait_for_debugger(thread);
}

void stop_for_error(rank_id thread, std::string_view error) noexcept {
  const bool shows_functions = is_asked("GASNET_BACKTRACE"),
             freezes = is_asked("UPC_FREEZE_ON_ERROR"), aborts = is_asked("UPC_ABORT");
  if (shows_functions || freezes || aborts) log_line(log_level::error, error);
  if (shows_functions) {
    std::array<void*, 64> frames;
    const int count = ::backtrace(frames.data(), static_cast<int>(frames.size()));
    ::backtrace_symbols_fd(frames.data(), count, STDERR_FILENO);
  }
  if (freezes) wait_for_debugger(thread);
  if (aborts) std::abort();
}

}  // namespace atl::upc
