// SPDX-License-Identifier: BSD-3-Clause
//
// Names outside of the specification that well-known programs use because the reference
// implementation has them. They mean here what they mean there; nothing else of its namespace
// upcxx::detail exists, and a new program needs none of them:
//
//   detail::op_wrap, detail::opfn_add ...   the types of operations, see operations.hpp
//   detail::internal_only                   the key to the parts of a global pointer: the owner and
//                                           the address there, see raw_internal() in global_ptr.hpp
//   fatal_error, detail::fatal_error        ends the job with a message
#pragma once

#include <upcxx/operations.hpp>

#include <string>

namespace upcxx {

namespace detail {

/// Marks constructors and members that are not for every program.
struct internal_only {
  explicit constexpr internal_only() noexcept = default;
};

}  // namespace detail

/// Ends the job with a message of the program's; before init(), this process. `title` says what
/// kind of error it is, and is "fatal error" when null; function, file and line, where they are
/// given, say where it was found. Any thread.
[[noreturn]] void fatal_error(const char* message, const char* title = nullptr,
                              const char* function = nullptr, const char* file = nullptr,
                              int line = 0) noexcept;
[[noreturn]] inline void fatal_error(const std::string& message, const char* title = nullptr,
                                     const char* function = nullptr, const char* file = nullptr,
                                     int line = 0) noexcept {
  fatal_error(message.c_str(), title, function, file, line);
}

namespace detail {
using upcxx::fatal_error;
}  // namespace detail

}  // namespace upcxx
