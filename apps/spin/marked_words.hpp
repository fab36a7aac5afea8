// SPDX-License-Identifier: BSD-3-Clause
//
// Words that serve as their own flags. A place is filled with a number that no computation yields,
// a particular signalling NaN; the data have arrived when no such word is left. Words are compared
// as integers, 64 at a time, so that the compiler can use wide registers. Every put writes aligned
// words whole.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace spin {

inline constexpr std::uint64_t mark = 0x7ff4'5350'494e'2121;  // arithmetic makes quiet NaNs

inline void fill_with_marks(double* place, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(place + i, &mark, sizeof mark);
}

inline bool has_mark(const double* from, std::size_t count) noexcept {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word;
    std::memcpy(&word, from + i, sizeof word);
    found |= static_cast<std::uint64_t>(word == mark);
  }
  return found != 0;
}

/// Whether `count` numbers have arrived. The first `seen` are known to have; advances `seen`.
inline bool have_arrived(const double* from, std::size_t count, std::size_t& seen) noexcept {
  constexpr std::size_t stride = 64;
  while (seen < count) {
    const std::size_t next = std::min(stride, count - seen);
    // Keeps the compiler from remembering earlier reads.
    std::atomic_signal_fence(std::memory_order_acq_rel);
    if (has_mark(from + seen, next)) return false;
    seen += next;
  }
  return true;
}

}  // namespace spin
