// SPDX-License-Identifier: BSD-3-Clause
//
// Timers (UPC required library specification 1.3, 7.5): nanoseconds of the steady clock, which is a
// read of the processor's counter without a system call.
#include <upc_tick.h>

#include <chrono>
#include <cstdint>

upc_tick_t upc_ticks_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<upc_tick_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::uint64_t upc_ticks_to_ns(upc_tick_t ticks) { return ticks; }
