// SPDX-License-Identifier: BSD-3-Clause
//
// Reading the options of warnings. A later option wins over an earlier one, as in C compilers.
#include <front/upc/translator/warnings.hpp>

namespace atl::upc {
namespace {

// The rest of `text` after `prefix`; empty if it does not begin with it.
std::string suffix(const std::string& text, const std::string& prefix) {
  return text.rfind(prefix, 0) == 0 ? text.substr(prefix.size()) : "";
}

}  // namespace

void warnings::read(const std::string& option) {
  const std::string error = suffix(option, "-Werror="), no_error = suffix(option, "-Wno-error=");
  if (option == "-w") {
    none_are_on_ = true;
  } else if (option == "-Werror" || option == "-Wno-error") {
    all_are_errors_ = option == "-Werror";
  } else if (option == "-Wextra") {
    enabled_["upc-remote-loop"] = true;
  } else if (!error.empty()) {
    enabled_[error] = error_[error] = true;
  } else if (!no_error.empty()) {
    error_[no_error] = false;
  } else if (const std::string name = suffix(option, "-Wno-"); !name.empty()) {
    enabled_[name] = false;
  } else {
    enabled_[suffix(option, "-W")] = true;
  }
}

bool warnings::is_on(const std::string& name) const {
  const auto found = enabled_.find(name);
  return !none_are_on_ && found != enabled_.end() && found->second;
}

bool warnings::is_error(const std::string& name) const {
  const auto found = error_.find(name);
  return found != error_.end() ? found->second : all_are_errors_;
}

}  // namespace atl::upc
