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
  /// For the macro: what came of the whole expression.
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
};

/// What `check_message() << ...` is, as a text.
inline std::string text_of(const check_message& message) { return message.text(); }

}  // namespace atl::upcxx_front

// What is failed without a message, and with one, which may contain commas: the number of arguments
// tells them apart, since C++17 has no __VA_OPT__.
#define ATOLL_UPCXX_FAIL(condition) \
  ::atl::upcxx_front::fail_check(__FILE__, __LINE__, #condition, ::std::string())
#define ATOLL_UPCXX_FAIL_SAYING(condition, ...) \
  ::atl::upcxx_front::fail_check(               \
      __FILE__, __LINE__, #condition,           \
      ::atl::upcxx_front::text_of(::atl::upcxx_front::check_message() << __VA_ARGS__))
#define ATOLL_UPCXX_EIGHTH(a, b, c, d, e, f, g, eighth, ...) eighth
#define ATOLL_UPCXX_FIRST(first, ...) first

#define UPCXX_ASSERT_ALWAYS(...)                                                           \
  (static_cast<bool>(ATOLL_UPCXX_FIRST(__VA_ARGS__, ))                                     \
       ? static_cast<void>(0)                                                              \
       : ATOLL_UPCXX_EIGHTH(__VA_ARGS__, ATOLL_UPCXX_FAIL_SAYING, ATOLL_UPCXX_FAIL_SAYING, \
                            ATOLL_UPCXX_FAIL_SAYING, ATOLL_UPCXX_FAIL_SAYING,              \
                            ATOLL_UPCXX_FAIL_SAYING, ATOLL_UPCXX_FAIL_SAYING,              \
                            ATOLL_UPCXX_FAIL, )(__VA_ARGS__))

#if UPCXX_ASSERT_ENABLED
#define UPCXX_ASSERT(...) UPCXX_ASSERT_ALWAYS(__VA_ARGS__)
#else
#define UPCXX_ASSERT(...) static_cast<void>(0)
#endif
