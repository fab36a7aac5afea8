// SPDX-License-Identifier: BSD-3-Clause
//
// One of the four kernels, as the program runs and judges it. All calls are collective.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hpcc {

/// The sizes of all kernels.
struct sizes {
  std::size_t stream_numbers = std::size_t{1} << 22;  // of each of three arrays
  unsigned log2_words = 20;                           // of RandomAccess's table
  unsigned log2_points = 20;                          // of the transform
  std::size_t unknowns = 1024;                        // of the system of equations
  std::size_t block = 64;                             // columns that LU factors at a time
};

class kernel {
 public:
  virtual ~kernel() = default;
  /// Makes the input; not timed.
  virtual void prepare() = 0;
  virtual void run() = 0;
  /// The error of this rank's part of the result, in the unit of its limit; collective.
  virtual double error() = 0;
  /// The memory of that part, into which a test of error() writes wrong results.
  virtual std::span<std::byte> result() = 0;
};

std::unique_ptr<kernel> make_stream(const sizes& given);
std::unique_ptr<kernel> make_random_access(const sizes& given);
std::unique_ptr<kernel> make_fft(const sizes& given);
std::unique_ptr<kernel> make_lu(const sizes& given);

}  // namespace hpcc
