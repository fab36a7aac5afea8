// SPDX-License-Identifier: BSD-3-Clause
//
// Output and environment as programs for UPC++ use them beside the specification: `say` collects
// one message and writes it at once when it ends, so that lines of different ranks do not mix;
// os_env reads a variable as a value of a type.
#pragma once

#include <upcxx/init.hpp>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

namespace upcxx {

/// `say() << "text " << value;` writes "[rank] text value" and a newline. Another prefix may be
/// given, in which "%d" stands for the rank.
class say {
 public:
  explicit say(std::ostream& to, const char* prefix = "[%d] ") : to_(to) { begin(prefix); }
  explicit say(const char* prefix = "[%d] ") : say(std::cout, prefix) {}
  say(const say&) = delete;
  say& operator=(const say&) = delete;
  ~say() {
    message_ << '\n';
    to_ << message_.str() << std::flush;
  }

  template <class T>
  say& operator<<(const T& value) {
    message_ << value;
    return *this;
  }
  say& operator<<(std::ostream& (*manipulator)(std::ostream&)) {
    message_ << manipulator;
    return *this;
  }

 private:
  void begin(std::string_view prefix) {
    const std::size_t position = prefix.find("%d");
    message_ << prefix.substr(0, position);
    if (position == std::string_view::npos) return;
    if (initialized()) message_ << rank_me();
    message_ << prefix.substr(position + 2);
  }

  std::ostream& to_;
  std::ostringstream message_;
};

/// A variable of the environment as a T; `otherwise` when it is not set or is no T.
template <class T>
T os_env(const std::string& name, const T& otherwise) {
  const char* const text = getenv_console(name.c_str());
  if (text == nullptr || *text == '\0') return otherwise;
  if constexpr (std::is_same_v<T, std::string>) {
    return text;
  } else {
    std::istringstream from(text);
    T value{};
    return from >> value ? value : otherwise;
  }
}
template <class T>
T os_env(const std::string& name) {
  return os_env<T>(name, T());
}
/// A size: a number and, if wanted, one of the units B, K, M, G, T (KB, KiB and so on mean the
/// same); a number without a unit counts in `unit_bytes`. A value that is not a size ends the job.
std::int64_t os_env(const std::string& name, const std::int64_t& otherwise, std::size_t unit_bytes);

namespace experimental {
using upcxx::os_env;
using upcxx::say;
}  // namespace experimental

}  // namespace upcxx
