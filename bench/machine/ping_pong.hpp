// SPDX-License-Identifier: BSD-3-Clause
//
// The raw machine between two ranks: a number travels through cache lines in shared memory, with
// nothing around it. It is the lower bound for messages and barriers, so it must be measured in the
// same process, memory and moment as they are. There are two lines, each with one writer, like a
// pair of one-way channels.
//
// Memory order: release and acquire; the number itself is all that travels.
#pragma once

#include <bench/harness/stopwatch.hpp>

#include <atomic>
#include <cstdint>

namespace bench {

/// Shared by two ranks; begins as zeros.
struct ping_pong_lines {
  alignas(128) std::atomic<std::uint64_t> ping;  // written by the first rank
  alignas(128) std::atomic<std::uint64_t> pong;  // written by the second
};

/// One end of the ping-pong.
class ping_pong {
 public:
  ping_pong(ping_pong_lines& lines, bool first) noexcept : lines_(lines), first_(first) {}

  /// Plays `rounds` rounds with the rank at the other end; returns the time in nanoseconds.
  double play(std::uint64_t rounds) noexcept {
    const stopwatch watch;
    std::atomic<std::uint64_t>& own = first_ ? lines_.ping : lines_.pong;
    const std::atomic<std::uint64_t>& other = first_ ? lines_.pong : lines_.ping;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      ++ball_;
      if (first_) own.store(ball_, std::memory_order_release);
      while (other.load(std::memory_order_acquire) != ball_) {
      }
      if (!first_) own.store(ball_, std::memory_order_release);
    }
    return watch.elapsed_ns();
  }

 private:
  ping_pong_lines& lines_;
  bool first_;
  std::uint64_t ball_ = 0;
};

}  // namespace bench
