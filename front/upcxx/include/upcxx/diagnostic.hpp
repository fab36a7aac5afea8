// SPDX-License-Identifier: BSD-3-Clause
//
// Assertions as programs for UPC++ use them: a condition and, if wanted, a message that is written
// as to a stream. A failure tells rank, place, condition and message, and ends the job. Both are
// expressions of type void; the message is made only when it is needed. The first is always on, the
// second where UPCXX_ASSERT_ENABLED is 1 (version.hpp), and otherwise evaluates nothing.
#pragma once

#include <upcxx/reference_names.hpp>
#include <upcxx/version.hpp>

#include <ios>
#include <ostream>
#include <sstream>
#include <string>

namespace atl::upcxx_front {

[[noreturn, gnu::cold]] void fail_check(const char* file, int line, const char* condition,
                                        const std::string& message) noexcept;

/// Collects what is written to it.
class check_message {
 public:
  template <class T>
  check_message& operator<<(const T& value) {
    text_ << value;
    return *this;
  }
  check_message& operator<<(std::ostream& (*manipulator)(std::ostream&)) {
    text_ << manipulator;
    return *this;
  }
  check_message& operator<<(std::ios_base& (*manipulator)(std::ios_base&)) {
    text_ << manipulator;
    return *this;
  }
  /// For the macro: the text of the whole expression.
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

/// The text of `check_message() << ...`.
inline std::string text_of(const check_message& message) { return message.text(); }

}  // namespace atl::upcxx_front

// The failure of a check without a message, and of one with a message, which may contain commas.
// The number of arguments tells the two apart, since C++17 has no __VA_OPT__.
#define ATOLL_UPCXX_FAIL(condition) \
  ::atl::upcxx_front::fail_check(__FILE__, __LINE__, #condition, ::std::string())
#define ATOLL_UPCXX_FAIL_SAYING(condition, ...) \
  ::atl::upcxx_front::fail_check(               \
      __FILE__, __LINE__, #condition,           \
      ::atl::upcxx_front::text_of(::atl::upcxx_front::check_message() << __VA_ARGS__))
// clang-format off
#define ATOLL_UPCXX_THIRTY_SECOND( \
    a1, a2, a3, a4, a5, a6, a7, a8, \
    a9, a10, a11, a12, a13, a14, a15, a16, \
    a17, a18, a19, a20, a21, a22, a23, a24, \
    a25, a26, a27, a28, a29, a30, a31, \
    thirty_second, ...) thirty_second
#define ATOLL_UPCXX_FIVE_TIMES(x) x, x, x, x, x
// clang-format on
#define ATOLL_UPCXX_FIRST(first, ...) first

#define ATOLL_UPCXX_CHOOSE(...) ATOLL_UPCXX_THIRTY_SECOND(__VA_ARGS__)

// Of up to thirty-one arguments.
#define UPCXX_ASSERT_ALWAYS(...)                                                          \
  (static_cast<bool>(ATOLL_UPCXX_FIRST(__VA_ARGS__, ))                                    \
       ? static_cast<void>(0)                                                             \
       : ATOLL_UPCXX_CHOOSE(__VA_ARGS__, ATOLL_UPCXX_FIVE_TIMES(ATOLL_UPCXX_FAIL_SAYING), \
                            ATOLL_UPCXX_FIVE_TIMES(ATOLL_UPCXX_FAIL_SAYING),              \
                            ATOLL_UPCXX_FIVE_TIMES(ATOLL_UPCXX_FAIL_SAYING),              \
                            ATOLL_UPCXX_FIVE_TIMES(ATOLL_UPCXX_FAIL_SAYING),              \
                            ATOLL_UPCXX_FIVE_TIMES(ATOLL_UPCXX_FAIL_SAYING),              \
                            ATOLL_UPCXX_FIVE_TIMES(ATOLL_UPCXX_FAIL_SAYING),              \
                            ATOLL_UPCXX_FAIL, )(__VA_ARGS__))

#if UPCXX_ASSERT_ENABLED
#define UPCXX_ASSERT(...) UPCXX_ASSERT_ALWAYS(__VA_ARGS__)
#else
#define UPCXX_ASSERT(...) static_cast<void>(0)
#endif
