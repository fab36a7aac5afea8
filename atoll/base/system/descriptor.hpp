// SPDX-License-Identifier: BSD-3-Clause
//
// An owned file descriptor. Every descriptor in Atoll is close-on-exec and lives in one of these,
// so that none leaks into programs that a rank starts and none outlives the object that needs it.
#pragma once

#include <unistd.h>

#include <utility>

namespace atl {

/// Sole owner of one open file descriptor; empty when -1.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    if (this != &other) {
      reset();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  ~descriptor() { reset(); }

  int get() const noexcept { return number_; }
  int release() noexcept { return std::exchange(number_, -1); }
  explicit operator bool() const noexcept { return number_ >= 0; }
  void reset() noexcept {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

}  // namespace atl
