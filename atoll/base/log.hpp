// SPDX-License-Identifier: BSD-3-Clause
//
// Messages on standard error. Ranks share one terminal or pipe, so a line is one system call: lines
// of different ranks never mix. Writing allocates nothing and takes no lock, and so may be done
// from a signal handler or with a broken heap; only the joining of operands (log_warning and the
// others) allocates, and it is skipped when the level is silent. Prefix and level are process-wide,
// as standard error is; they are set once when a runtime starts.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/text.hpp>

#include <cstdint>
#include <string_view>

namespace atl {

/// How much a message matters. Errors are always written; the others when ATOLL_VERBOSE is at least
/// their number.
enum class log_level : std::uint8_t { error = 0, warning = 1, info = 2, debug = 3 };

/// From now on, writes lines up to level `most` and prefixes them with "atoll[rank]: " ("atoll: "
/// for no_rank). Any thread.
void log_configure(log_level most, rank_id rank) noexcept;

/// Whether lines of this level are written.
bool log_enabled(log_level level) noexcept;

/// Writes a line, with the prefix, by one system call; of a text with several lines, each line
/// likewise. Allocates nothing; safe in signal handlers. A line that standard error does not take
/// is lost.
void log_line(log_level level, std::string_view line) noexcept;

template <class... Operands>
void log_error(const Operands&... operands) {
  log_line(log_level::error, text(operands...));
}

template <class... Operands>
void log_warning(const Operands&... operands) {
  if (log_enabled(log_level::warning)) log_line(log_level::warning, text(operands...));
}

template <class... Operands>
void log_info(const Operands&... operands) {
  if (log_enabled(log_level::info)) log_line(log_level::info, text(operands...));
}

template <class... Operands>
void log_debug(const Operands&... operands) {
  if (log_enabled(log_level::debug)) log_line(log_level::debug, text(operands...));
}

}  // namespace atl
