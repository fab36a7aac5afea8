// SPDX-License-Identifier: BSD-3-Clause
//
// Private memory for amplitudes: zeroed, and aligned as the kernels require.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace spin {

class aligned_numbers {
 public:
  static constexpr std::size_t alignment = 64;

  aligned_numbers() = default;
  explicit aligned_numbers(std::size_t count) {
    const std::size_t bytes =
        (count * sizeof(double) + alignment - 1) / alignment * alignment + alignment;
    numbers_.reset(static_cast<double*>(std::aligned_alloc(alignment, bytes)));
    if (!numbers_) throw std::bad_alloc();
    std::memset(numbers_.get(), 0, bytes);
  }

  double* data() const noexcept { return numbers_.get(); }
  bool empty() const noexcept { return numbers_ == nullptr; }

 private:
  struct free_numbers {
    void operator()(double* gone) const { std::free(gone); }
  };
  std::unique_ptr<double, free_numbers> numbers_;
};

}  // namespace spin
