// SPDX-License-Identifier: BSD-3-Clause
//
// The loops that take most of the time. They work on a block of at most 2^12 amplitudes, which
// stays in the first-level cache while all its low bits are flipped; flips of higher bits are
// streams of other blocks. kernel.cpp is compiled once per instruction set and `best_kernels` picks
// at run time: the build needs no -march, and one binary is fast everywhere.
//
// All pointers are aligned to 64 bytes and blocks do not overlap. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace spin {

inline constexpr unsigned block_bits_min = 6;
inline constexpr unsigned block_bits_max = 12;

/// The diagonal of H in one block. An amplitude j in half x (its top bit) of the block has energy
/// low[x][j % 64] + mid[j / 32] + base[x].
struct block_diagonal {
  const double* low[2];  // 64 entries each
  const double* mid;     // block / 32 entries
  double base[2];
};

/// Numbers of out = scale * diagonal * in + flip * (sum of flipped amplitudes) - previous * out.
struct block_factors {
  double scale = 1;
  double flip = 0;
  double previous = 0;
};

/// `count` blocks of flipped amplitudes, to be added up.
struct block_streams {
  const double* const* blocks = nullptr;
  std::size_t count = 0;
};

/// One block of 2^bits amplitudes: its inputs and its output.
struct block_work {
  double* out;
  const double* in;
  unsigned bits;
  block_streams more = {};
};

/// One instruction set's loops.
struct kernels {
  std::string_view name;

  /// Makes `out` from `in`, all flips within the block, and the streams.
  void (*apply)(const block_work& work, const block_diagonal& diagonal,
                const block_factors& factors);

  /// out += factor * (sum of the streams); returns the dot product of `out` and `in`.
  double (*add_and_dot)(const block_work& work, double factor);

  /// out -= factor * in, which may be the same; returns the sum of the squares of `out`.
  double (*subtract)(const block_work& work, double factor);
};

/// The kernels for this processor.
const kernels& best_kernels() noexcept;

/// All kernels that this processor can run, slowest first.
struct kernel_list {
  const kernels* entries[3];
  std::size_t count;
};
kernel_list usable_kernels() noexcept;

}  // namespace spin
