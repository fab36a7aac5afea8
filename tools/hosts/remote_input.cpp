// SPDX-License-Identifier: BSD-3-Clause
//
// The supervisor's standard input, which rank 0 gets as it does on one machine. It is read ahead by
// at most a window of bytes. A terminal is read only while the job is in its foreground, so the
// kernel does not stop a job in the background for input that no rank has asked for.
#include <tools/hosts/remote_ranks.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace atl::tools {

using namespace protocol;

namespace {

constexpr std::size_t window_bytes = 64 * 1024;

bool may_read(int input) { return isatty(input) == 0 || tcgetpgrp(input) == getpgrp(); }

/// Whether epoll can wait for it; a file is always ready.
bool can_wait(int input) {
  struct stat status{};
  return fstat(input, &status) == 0 &&
         (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || isatty(input) != 0);
}

}  // namespace

void remote_ranks::open_input() { input_ = descriptor(fcntl(0, F_DUPFD_CLOEXEC, 3)); }

/// Reads one piece, from a terminal a line; an empty one is the end of the input.
void remote_ranks::read_input() {
  std::array<std::byte, 16384> chunk;
  const ssize_t got = read(input_.get(), chunk.data(), chunk.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  const auto count = got > 0 ? static_cast<std::size_t>(got) : 0;
  branch_.send_to(1, encode(kind::input, 1, std::span(chunk).first(count)));
  input_under_way_ += count;
  if (count > 0) return;
  if (input_token_ != 0) loop_.remove(std::exchange(input_token_, 0));
  input_.reset();
}

void remote_ranks::took_input(std::uint32_t count) {
  input_is_wanted_ = true;  // the first call has count 0: rank 0 has started
  input_under_way_ -= std::min<std::size_t>(input_under_way_, count);
  look_at_input();
}

/// Waits for input, or stops waiting. Also every second, in case the job has changed between
/// foreground and background. While nothing is wanted the descriptor is not registered, because
/// epoll reports its end in any case.
void remote_ranks::look_at_input() {
  const bool wanted = input_ && input_is_wanted_ && !is_ending_ &&
                      input_under_way_ < window_bytes && may_read(input_.get());
  if (!wanted && input_token_ != 0) return loop_.remove(std::exchange(input_token_, 0));
  if (!wanted || input_token_ != 0) return;
  if (can_wait(input_.get())) {
    input_token_ = loop_.add(input_.get(), EPOLLIN, [this](std::uint32_t) {
      read_input();
      look_at_input();
    });
    return;
  }
  while (input_ && input_under_way_ < window_bytes) read_input();
}

}  // namespace atl::tools
