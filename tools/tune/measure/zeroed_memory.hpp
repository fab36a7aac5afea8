// SPDX-License-Identifier: BSD-3-Clause
//
// Memory that calls are measured with. Fresh memory that was only read is one page of zeros for all
// of it, which stays in the nearest cache and makes every algorithm that reads it too fast. So what
// a call reads is touched before.
#pragma once

#include <cstddef>

namespace atl::tune {

class zeroed_memory {
 public:
  zeroed_memory() = default;
  zeroed_memory(const zeroed_memory&) = delete;
  zeroed_memory& operator=(const zeroed_memory&) = delete;
  ~zeroed_memory();

  /// Has at least so many bytes afterwards, all zero, which take no memory until they are touched.
  /// Its earlier content is lost where it grows. Throws `atl::error` where there is no memory.
  void grow(std::size_t bytes);

  /// Gives the first so many bytes, of those that there are, pages of their own.
  void touch(std::size_t bytes);

  std::byte* data() const noexcept { return begin_; }

 private:
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0, touched_ = 0;
};

}  // namespace atl::tune
