// SPDX-License-Identifier: BSD-3-Clause
//
// Memory from calloc, and the writes that give it pages. They are volatile, because a compiler may
// leave out the writing of zeros to memory that has them.
#include <tools/tune/measure/zeroed_memory.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <cstdlib>

namespace atl::tune {

zeroed_memory::~zeroed_memory() { std::free(begin_); }

void zeroed_memory::grow(std::size_t bytes) {
  if (bytes <= bytes_) return;
  std::free(begin_);
  begin_ = static_cast<std::byte*>(std::calloc(bytes, 1));
  bytes_ = begin_ != nullptr ? bytes : 0;
  touched_ = 0;
  if (begin_ != nullptr) return;
  throw error("the buffers of a trial", text("there is no memory for ", bytes_text(bytes)),
              "give smaller --sizes or fewer --ranks");
}

void zeroed_memory::touch(std::size_t bytes) {
  constexpr std::size_t page_bytes_min = 4096;
  const std::size_t end = std::min(bytes, bytes_);
  for (; touched_ < end; touched_ += page_bytes_min) {
    *static_cast<volatile std::byte*>(begin_ + touched_) = std::byte{0};
  }
  if (end != 0) *static_cast<volatile std::byte*>(begin_ + end - 1) = std::byte{0};
}

}  // namespace atl::tune
