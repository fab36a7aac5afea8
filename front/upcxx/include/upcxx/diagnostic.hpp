// SPDX-License-Identifier: BSD-3-Clause
//
// Assertions as programs for UPC++ use them: a condition and, if wanted, a message that is written
// as to a stream. A failure tells rank, place, condition and message, and ends the job. The first
// is always on, the second where NDEBUG is not defined.
#pragma once

#include <sstream>
#include <string>

namespace atl::upcxx_front {

[[noreturn, gnu::cold]] void fail_check(const char* file, int line, const char* condition,
                                        const std::string& message) noexcept;

}  // namespace atl::upcxx_front

#define UPCXX_ASSERT_ALWAYS(condition, ...)                                                      \
  do {                                                                                           \
    if (!(condition)) [[unlikely]] {                                                             \
      std::ostringstream atoll_upcxx_message;                                                    \
      __VA_OPT__(atoll_upcxx_message << __VA_ARGS__;)                                            \
      ::atl::upcxx_front::fail_check(__FILE__, __LINE__, #condition, atoll_upcxx_message.str()); \
    }                                                                                            \
  } while (false)

#ifdef NDEBUG
#define UPCXX_ASSERT(...) static_cast<void>(0)
#else
#define UPCXX_ASSERT(...) UPCXX_ASSERT_ALWAYS(__VA_ARGS__)
#endif
