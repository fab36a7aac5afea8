// SPDX-License-Identifier: BSD-3-Clause
//
// The text of an invitation and its parser. The messages that remote shells print go to their
// output, so the daemon's input is exactly these lines.
#include <tools/hosts/invitation.hpp>

#include <charconv>

namespace atl::tools {
namespace {

constexpr std::string_view first_line = "atoll-daemon 1";

/// Takes the next line off; nothing when none is whole.
std::optional<std::string_view> take_line(std::string_view& text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const auto line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

bool take_field(invitation& to, std::string_view word, std::string_view value) {
  if (word == "node") {
    const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), to.node);
    return fault == std::errc{} && end == value.data() + value.size();
  }
  if (word == "call") {
    const auto parsed = inet_address::parse(value);
    if (parsed) to.addresses.push_back(*parsed);
    return parsed.has_value();
  }
  if (word != "key") return false;
  const auto key = secret_of(value);
  if (key) to.key = *key;
  return key.has_value();
}

}  // namespace

std::optional<invitation> invitation::parse(std::string_view text) {
  if (text.size() > invitation_bytes_max || take_line(text) != first_line) return std::nullopt;
  invitation made;
  bool has_key = false;
  while (const auto line = take_line(text)) {
    if (*line == "end")
      return has_key && made.node > 0 && !made.addresses.empty() ? std::optional(made)
                                                                 : std::nullopt;
    const auto blank = line->find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    if (!take_field(made, line->substr(0, blank), line->substr(blank + 1))) return std::nullopt;
    has_key = has_key || line->starts_with("key ");
  }
  return std::nullopt;
}

std::string invitation::text() const {
  auto lines = std::string(first_line) + "\nnode " + std::to_string(node) + "\n";
  for (const auto& each : addresses) lines += "call " + each.text() + "\n";
  return lines + "key " + hex_of(key) + "\nend\n";
}

}  // namespace atl::tools
