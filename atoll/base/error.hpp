// SPDX-License-Identifier: BSD-3-Clause
//
// Errors of set-up: a launch that cannot work, a setting that makes no sense, a descriptor limit.
// Set-up code throws `atl::error`, which always says three things: the object and what failed,
// the cause, and what the user can do about it. The data path never throws; it returns values.
// Fronts in C or Fortran translate at their boundary.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace atl {

/// A refusal during set-up. `what()` is one line "OBJECT: CAUSE; REMEDY"; the parts stay readable.
class error : public std::runtime_error {
 public:
  error(std::string object, std::string cause, std::string remedy)
      : std::runtime_error(object + ": " + cause + (remedy.empty() ? "" : "; " + remedy)),
        object_(std::move(object)),
        cause_(std::move(cause)),
        remedy_(std::move(remedy)) {}

  const std::string& object() const noexcept { return object_; }
  const std::string& cause() const noexcept { return cause_; }
  const std::string& remedy() const noexcept { return remedy_; }

 private:
  std::string object_;
  std::string cause_;
  std::string remedy_;
};

/// The text of an errno value, as a cause ("Too many open files").
inline std::string errno_text(int number) { return std::strerror(number); }

}  // namespace atl
