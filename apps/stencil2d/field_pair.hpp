// SPDX-License-Identifier: BSD-3-Clause
//
// Two alternating fields in private memory. They lie in one block with the alignment of the shared
// ones (arena.hpp): alignment alone can change the time by a tenth, and that must not be counted
// for or against a way to communicate.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace stencil2d {

class field_pair {
 public:
  /// Two fields of `elements` doubles, zeroed.
  explicit field_pair(std::size_t elements) {
    const std::size_t bytes = (elements * sizeof(double) + line - 1) / line * line;
    memory_.reset(static_cast<std::byte*>(::operator new(2 * bytes, std::align_val_t{huge_page})));
    std::memset(memory_.get(), 0, 2 * bytes);
    now_ = reinterpret_cast<double*>(memory_.get());
    next_ = reinterpret_cast<double*>(memory_.get() + bytes);
  }

  double* now() noexcept { return now_; }
  double* next() noexcept { return next_; }
  void swap() noexcept { std::swap(now_, next_); }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  struct aligned_delete {
    void operator()(std::byte* memory) const noexcept {
      ::operator delete(memory, std::align_val_t{huge_page});
    }
  };

  std::unique_ptr<std::byte, aligned_delete> memory_;
  double* now_ = nullptr;
  double* next_ = nullptr;
};

}  // namespace stencil2d
