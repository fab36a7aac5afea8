// SPDX-License-Identifier: BSD-3-Clause
//
// STAT= and ERRMSG= of a statement. With STAT= an error becomes a number and a text; without, it is
// error termination of the whole program, and the text tells why.
#pragma once

#include <cstddef>
#include <string_view>

namespace atl::coarray {

/// Values of the compiler's ISO_FORTRAN_ENV.
namespace stat {
inline constexpr int unlocked = 0;
inline constexpr int locked = 1;
inline constexpr int locked_other_image = 2;
inline constexpr int other = 3;  // an error for which the standard has no name
inline constexpr int stopped_image = 6000;
inline constexpr int failed_image = 6001;
}  // namespace stat

/// Variables of the statement: null and 0 for those that it does not have. The message is no C
/// string: its rest is blank.
struct status_variables {
  int* stat = nullptr;
  char* message = nullptr;
  std::size_t message_bytes = 0;

  void succeed() const noexcept {
    if (stat != nullptr) *stat = 0;
  }

  /// Gives the error to the statement's variables, or ends the job where it has none.
  void fail(int code, const char* call, std::string_view cause,
            std::string_view remedy) const noexcept;
};

}  // namespace atl::coarray
