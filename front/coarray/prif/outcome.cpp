// SPDX-License-Identifier: BSD-3-Clause
//
// Giving an error to the arguments of a PRIF procedure.
#include <front/coarray/prif/outcome.hpp>

#include <cstdlib>
#include <cstring>

namespace atl::coarray::prif {

outcome::outcome(int* stat, const c_descriptor* message, c_descriptor* allocated) noexcept
    : allocated_(allocated) {
  variables_.stat = stat;
  variables_.codes = &stat_codes;
  if (message != nullptr) {
    variables_.message = reinterpret_cast<char*>(message->base);
    variables_.message_bytes = message->element_bytes;
  } else if (allocated != nullptr) {
    variables_.message = text_.data();
    variables_.message_bytes = text_.size();
  }
}

// Compilers allocate such a variable by malloc() and deallocate it by free().
outcome::~outcome() {
  if (allocated_ == nullptr || variables_.stat == nullptr || *variables_.stat == 0) return;
  std::size_t length = text_.size();
  while (length != 0 && text_[length - 1] == ' ') --length;
  std::free(allocated_->base);
  allocated_->base = static_cast<std::byte*>(std::malloc(length + 1));
  if (allocated_->base == nullptr) return;
  std::memcpy(allocated_->base, text_.data(), length);
  allocated_->element_bytes = length;
}

}  // namespace atl::coarray::prif
