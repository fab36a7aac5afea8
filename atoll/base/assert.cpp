// SPDX-License-Identifier: BSD-3-Clause
//
// Composes the message of a failed assertion. The macros hand over the operands' source text as one
// literal; it is split here, at commas outside brackets and quotes, so that the macros need no
// machinery per operand and passing sites stay one compare and a never-taken branch.
#include <atoll/base/assert.hpp>
#include <atoll/base/log.hpp>

#include <algorithm>
#include <cstdlib>

namespace atl {

constinit std::atomic<std::uint8_t> checks_level = static_cast<std::uint8_t>(check_level::normal);

namespace {

/// Length of the quoted literal that `names` starts with, its quotes included.
std::size_t quoted_length(std::string_view names) noexcept {
  std::size_t i = 1;
  while (i < names.size() && names[i] != names[0]) i += names[i] == '\\' ? 2u : 1u;
  return i + 1;
}

/// Takes the next operand's source text off the front of `names`.
std::string_view take_name(std::string_view& names) noexcept {
  int depth = 0;
  std::size_t end = 0;
  for (; end < names.size(); ++end) {
    const char c = names[end];
    if (c == '"' || c == '\'') end += quoted_length(names.substr(end)) - 1;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) break;
  }
  const auto name = names.substr(0, end);
  names.remove_prefix(std::min(end + 1, names.size()));
  names.remove_prefix(std::min(names.find_first_not_of(' '), names.size()));
  return name;
}

/// The file's own name: names are unique enough, and build paths only add noise.
std::string_view file_name(std::string_view file) noexcept {
  const auto slash = file.rfind('/');
  return slash == std::string_view::npos ? file : file.substr(slash + 1);
}

}  // namespace

void fail_assertion(const assertion_site& site, std::string_view sentence,
                    std::span<const std::string> values) noexcept {
  std::string line = text(file_name(site.file), ":", site.line, ": ", sentence);
  line += text(" [", site.condition, "]");
  std::string_view names = site.operand_names;
  for (const auto& value : values) line += text(" ", take_name(names), "=", value);
  log_line(log_level::error, line);
  std::abort();
}

}  // namespace atl
