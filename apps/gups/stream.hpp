// SPDX-License-Identifier: BSD-3-Clause
//
// The pseudo-random numbers of RandomAccess: the powers of x in the field of polynomials over GF(2)
// modulo x^64 + x^2 + x + 1, as bits of a word. The next one is a shift and, where a bit falls out,
// an exclusive or with 7. Number n of the sequence is x^n, so a rank jumps to the start of its part
// by squaring, and there is no seed: every run of the same size does the same updates.
//
// Pure functions, any thread.
#pragma once

#include <cstdint>

namespace gups {

using word = std::uint64_t;

inline constexpr word polynomial = 7;

/// x times a.
constexpr word next(word a) noexcept {
  const word carry = static_cast<word>(static_cast<std::int64_t>(a) >> 63);  // all ones or none
  return (a << 1) ^ (carry & polynomial);
}

/// a times b.
constexpr word product(word a, word b) noexcept {
  word sum = 0;
  for (; b != 0; b >>= 1, a = next(a)) sum ^= (b & 1) != 0 ? a : 0;
  return sum;
}

/// x^n: number n of the sequence, from number 0, which is 1.
constexpr word element(std::uint64_t n) noexcept {
  word result = 1;
  for (word square = 2; n != 0; n >>= 1, square = product(square, square))
    if ((n & 1) != 0) result = product(result, square);
  return result;
}

/// Numbers [first, last) of the sequence.
struct part {
  std::uint64_t first;
  std::uint64_t last;

  std::uint64_t count() const noexcept { return last - first; }
};

/// The part of one of `ranks` ranks of `count` things; parts differ by one thing at most.
constexpr part part_of(std::uint64_t count, std::uint64_t rank, std::uint64_t ranks) noexcept {
  const auto bound = [&](std::uint64_t r) {
    return count / ranks * r + (r < count % ranks ? r : count % ranks);
  };
  return {bound(rank), bound(rank + 1)};
}

}  // namespace gups
