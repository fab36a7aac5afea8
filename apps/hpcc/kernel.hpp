// SPDX-License-Identifier: BSD-3-Clause
//
// The four kernels as variants of one program, each with work of its own. Construction is
// collective, and throws `upcxx::bad_shared_alloc` on all ranks when one has too little memory.
#pragma once

#include <apps/trial/trial.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace hpcc {

/// The sizes of all kernels.
struct sizes {
  std::size_t stream_numbers = std::size_t{1} << 22;  // of each of three arrays
  unsigned log2_words = 20;                           // of RandomAccess's table
  unsigned log2_points = 20;                          // of the transform
  std::size_t unknowns = 1024;                        // of the system of equations
  std::size_t block = 64;                             // columns that LU factors at a time
};

class kernel : public trial::variant {
 public:
  /// The memory of this rank's part of the result, into which a test of error() writes.
  virtual std::span<std::byte> result() = 0;
};

std::unique_ptr<kernel> make_stream(const sizes& chosen);
std::unique_ptr<kernel> make_random_access(const sizes& chosen);
std::unique_ptr<kernel> make_fft(const sizes& chosen);
std::unique_ptr<kernel> make_lu(const sizes& chosen);

}  // namespace hpcc
