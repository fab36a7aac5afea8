// SPDX-License-Identifier: BSD-3-Clause
//
// Writes lines. A line is gathered by writev from the prefix, the text and the newline, so its
// length has no limit and nothing is copied or allocated. A pipe keeps up to PIPE_BUF bytes of one
// call together, a terminal and a file all of it. Level and rank are independent values that pair
// with nothing, hence relaxed atomics.
#include <atoll/base/log.hpp>

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>

namespace atl {
namespace {

constinit std::atomic<std::uint8_t> most_level = static_cast<std::uint8_t>(log_level::warning);
constinit std::atomic<rank_id> this_rank = no_rank;

using prefix_buffer = std::array<char, 32>;

std::string_view prefix(prefix_buffer& buffer) noexcept {
  const rank_id rank = this_rank.load(std::memory_order_relaxed);
  if (rank == no_rank) return "atoll: ";
  constexpr std::string_view open = "atoll[";
  constexpr std::string_view close = "]: ";
  char* cursor = buffer.data() + open.copy(buffer.data(), open.size());
  cursor = std::to_chars(cursor, buffer.data() + buffer.size() - close.size(), rank).ptr;
  cursor += close.copy(cursor, close.size());
  return {buffer.data(), cursor};
}

iovec part(std::string_view bytes) noexcept {
  return {const_cast<char*>(bytes.data()), bytes.size()};
}

/// Writes by one writev in the usual case; by more only where a signal or a full pipe cut it short.
void write_all(std::array<iovec, 3> parts) noexcept {
  std::size_t first = 0;
  while (first < parts.size()) {
    ssize_t written =
        ::writev(STDERR_FILENO, &parts[first], static_cast<int>(parts.size() - first));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    auto left = static_cast<std::size_t>(written);
    while (first < parts.size() && left >= parts[first].iov_len) left -= parts[first++].iov_len;
    if (first == parts.size()) return;
    parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + left;
    parts[first].iov_len -= left;
  }
}

}  // namespace

void log_configure(log_level most, rank_id rank) noexcept {
  most_level.store(static_cast<std::uint8_t>(most), std::memory_order_relaxed);
  this_rank.store(rank, std::memory_order_relaxed);
}

bool log_enabled(log_level level) noexcept {
  return static_cast<std::uint8_t>(level) <= most_level.load(std::memory_order_relaxed);
}

void log_line(log_level level, std::string_view line) noexcept {
  if (!log_enabled(level)) return;
  const int saved_errno = errno;  // a signal handler must not change it
  prefix_buffer buffer;
  const std::string_view line_prefix = prefix(buffer);
  do {
    const auto end = std::min(line.find('\n'), line.size());
    write_all({part(line_prefix), part(line.substr(0, end)), part("\n")});
    line.remove_prefix(std::min(end + 1, line.size()));
  } while (!line.empty());
  errno = saved_errno;
}

}  // namespace atl
