// SPDX-License-Identifier: BSD-3-Clause
//
// The text that a client prints into a trace: details on standard error, when those are asked for.
#include <gasnettools_trace.h>
#include <atoll/base/log.hpp>

#include <cstdarg>
#include <cstdio>

int atoll_tools_trace_enabled() { return atl::log_enabled(atl::log_level::debug) ? 1 : 0; }

void atoll_tools_trace_printf(const char* format, ...) {
  if (!atl::log_enabled(atl::log_level::debug)) return;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  atl::log_line(atl::log_level::debug, line);
}
