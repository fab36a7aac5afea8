// SPDX-License-Identifier: BSD-3-Clause
//
// stat, errmsg and errmsg_alloc of a PRIF procedure. The values of stat are those of the constants
// in module prif and of flang's ISO_FORTRAN_ENV. errmsg is a character variable of the program;
// errmsg_alloc is allocated here when there is an error.
#pragma once

#include <front/coarray/prif/c_descriptor.hpp>
#include <front/coarray/status.hpp>

#include <array>
#include <cstddef>

namespace atl::coarray::prif {

inline constexpr status_codes stat_codes{303, 102, 103, 105, 104, 101, 301, 106};
inline constexpr int already_initialised = 302;

class outcome {
 public:
  /// Null for an argument that is absent.
  outcome(int* stat, const c_descriptor* message, c_descriptor* allocated) noexcept;
  outcome(const outcome&) = delete;
  outcome& operator=(const outcome&) = delete;
  ~outcome();

  const status_variables& variables() const noexcept { return variables_; }

 private:
  c_descriptor* allocated_;
  std::array<char, 256> text_;
  status_variables variables_;
};

inline void succeed(int* stat) noexcept {
  if (stat != nullptr) *stat = 0;
}

}  // namespace atl::coarray::prif
