// SPDX-License-Identifier: BSD-3-Clause
//
// STAT= and ERRMSG= of a statement. With STAT= an error becomes a number and a text. Without, it is
// error termination of the whole program, and the text is printed.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace atl::coarray {

/// The errors that STAT= tells apart. `other` is an error for which the standard has no name.
enum class statement_error : unsigned char {
  other,
  locked,
  locked_other_image,
  unlocked,
  stopped_image,
  failed_image,
  no_memory,
  unlocked_failed_image  // the lock was held by an image that has failed, and is locked here
};

/// The values of a compiler's ISO_FORTRAN_ENV, by failure.
using status_codes = std::array<int, 8>;
inline constexpr status_codes gfortran_codes{3, 1, 2, 3, 6000, 6001, 3, 6001};
inline constexpr int code_of(const status_codes& codes, statement_error which) noexcept {
  return codes[static_cast<std::size_t>(which)];
}

/// Variables of the statement: null and 0 for those that it does not have. The message is no C
/// string: it is padded with blanks.
struct status_variables {
  int* stat = nullptr;
  char* message = nullptr;
  std::size_t message_bytes = 0;
  const status_codes* codes = &gfortran_codes;

  void succeed() const noexcept {
    if (stat != nullptr) *stat = 0;
  }

  /// Gives the error to the statement's variables, or ends the job where it has none.
  void fail(statement_error which, const char* call, std::string_view cause,
            std::string_view remedy) const noexcept;
};

}  // namespace atl::coarray
