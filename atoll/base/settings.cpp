// SPDX-License-Identifier: BSD-3-Clause
//
// Collecting the rows, and the parsers of their kinds. A row is the single source: names, ranges
// and helps printed to the user come from the row that checked the value. Values come from outside,
// so every parser works on bounded views, refuses overflow, and quotes what it refuses with control
// characters masked. Reading is done once per process; nothing here is fast and nothing needs to
// be.
#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/nearest.hpp>
#include <atoll/base/parse.hpp>
#include <atoll/base/settings.hpp>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

// The ends of the section of registered rows, set by the linker; null where nothing is registered.
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
extern "C" {
[[gnu::weak,
  gnu::visibility("hidden")]] extern const atl::setting_row* const __start_atoll_settings[];
[[gnu::weak,
  gnu::visibility("hidden")]] extern const atl::setting_row* const __stop_atoll_settings[];
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

namespace atl {
namespace {

constexpr std::string_view name_prefix = "ATOLL_";

/// The linker may leave gaps between the lists of two layers, which are null.
std::vector<const setting_row*> collect_rows() {
  std::vector<const setting_row*> rows;
  for (const setting_row* const* each = __start_atoll_settings; each < __stop_atoll_settings;
       ++each) {
    if (*each != nullptr) rows.push_back(*each);
  }
  std::ranges::sort(rows, {}, &setting_row::name);
  const auto [first, last] = std::ranges::unique(rows, {}, &setting_row::name);
  rows.erase(first, last);
  return rows;
}

/// The place of a name in all_settings(); its size when there is no such setting.
std::size_t index_of(std::string_view name) noexcept {
  const auto rows = all_settings();
  const auto found = std::ranges::lower_bound(rows, name, {}, &setting_row::name);
  if (found == rows.end() || (*found)->name != name) return rows.size();
  return static_cast<std::size_t>(found - rows.begin());
}

/// The user's text, safe to print: short, on one line, without control characters.
std::string printable(std::string_view raw) {
  constexpr std::size_t longest = 80;
  std::string shown(raw.substr(0, longest));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  if (raw.size() > longest) shown += "...";
  return shown;
}

std::optional<std::uint64_t> parse_choice(std::string_view text,
                                          std::string_view choices) noexcept {
  for (std::uint64_t index = 0; !choices.empty(); ++index) {
    const auto comma = std::min(choices.find(','), choices.size());
    if (same_word(text, choices.substr(0, comma))) return index;
    choices.remove_prefix(std::min(comma + 1, choices.size()));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> parse(const setting_row& row, std::string_view text) noexcept {
  switch (row.kind) {
    case setting_kind::flag:
      return parse_flag(text);
    case setting_kind::number:
      return parse_number(text);
    case setting_kind::bytes:
      return parse_bytes(text);
    case setting_kind::choice:
      return parse_choice(text, row.choices);
    case setting_kind::text:
      return 0;
  }
  return std::nullopt;
}

bool in_range(const setting_row& row, std::uint64_t number) noexcept {
  if (row.kind != setting_kind::number && row.kind != setting_kind::bytes) return true;
  if (row.power_of_two && !std::has_single_bit(number)) return false;
  return number >= row.min && number <= row.max;
}

std::string unknown_name_warning(std::string_view name) {
  std::string line = printable(name) + ": no such setting";
  const auto rows = all_settings();
  const auto near = std::ranges::min_element(
      rows, {}, [&](const setting_row* row) { return edit_distance(name, row->name); });
  if (near != rows.end()) line += "; the nearest is " + std::string((*near)->name);
  return line + " (`atoll info --settings` lists all)";
}

}  // namespace

std::span<const setting_row* const> all_settings() noexcept {
  static const auto* const rows = new std::vector(collect_rows());  // also for static destructors
  return *rows;
}

std::string setting_values(const setting_row& row) {
  switch (row.kind) {
    case setting_kind::flag:
      return "1 or 0 (yes or no, true or false, on or off)";
    case setting_kind::number:
      return std::string(row.power_of_two ? "a power of two from " : "a whole number from ") +
             std::to_string(row.min) + " to " + std::to_string(row.max) +
             (row.unit.empty() ? "" : " " + std::string(row.unit));
    case setting_kind::bytes:
      return "bytes from " + std::to_string(row.min) + " to " + std::to_string(row.max) +
             ", with K, M, G or T for binary multiples (512M, 4G)";
    case setting_kind::choice: {
      std::string words = "one of ";
      for (char c : row.choices) words += c == ',' ? std::string(", ") : std::string(1, c);
      return words;
    }
    case setting_kind::text:
      return "any text";
  }
  return {};
}

settings::settings() : values_(all_settings().size()) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const std::string_view text = all_settings()[i]->default_value;
    if (!text.empty()) assign(i, text, setting_source::built_in);
  }
}

void settings::assign(std::size_t index, std::string_view text, setting_source source) {
  const setting_row& row = *all_settings()[index];
  const auto number = parse(row, text);
  if (!number || !in_range(row, *number)) {
    throw error(std::string(row.name),
                "the value \"" + printable(text) + "\" does not fit this setting",
                "give " + setting_values(row) + ", or unset it");
  }
  values_[index] = {std::string(text), *number, source};
}

void settings::take(std::string_view name, std::string_view text) {
  const std::size_t index = index_of(name);
  if (index == values_.size()) {
    warnings_.push_back(unknown_name_warning(name));
    return;
  }
  if (text.empty()) return;
  const value& present = values_[index];
  if (present.source == setting_source::built_in) {
    assign(index, text, setting_source::environment);
  } else if (present.text != text) {
    warnings_.push_back(std::string(name) + ": set twice in the environment; \"" +
                        printable(present.text) + "\" counts, \"" + printable(text) +
                        "\" does not");
  }
}

settings settings::read(const char* const* environment) {
  settings result;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || !entry.starts_with(name_prefix)) continue;
    result.take(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return result;
}

settings settings::from_environment() { return read(environ); }

settings settings::from_environment(std::span<const std::string> fallbacks) {
  std::vector<const char*> entries;
  for (const char* const* entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.push_back(*entry);
  }
  for (const std::string& each : fallbacks) {
    const std::string name = each.substr(0, each.find('='));
    if (foreign_variable(name.c_str()).empty()) entries.push_back(each.c_str());
  }
  entries.push_back(nullptr);
  return read(entries.data());
}

const settings::value& settings::value_of(const setting_row& row) const noexcept {
  const std::size_t index = index_of(row.name);
  ATOLL_ASSERT(index < values_.size(), "a setting that no layer has registered", row.name);
  return values_[index];
}

bool settings::flag(const setting_row& row) const noexcept { return number(row) != 0; }

std::uint64_t settings::number(const setting_row& row) const noexcept {
  return value_of(row).number;
}

unsigned settings::choice(const setting_row& row) const noexcept {
  return static_cast<unsigned>(number(row));
}

std::string_view settings::text(const setting_row& row) const noexcept {
  return value_of(row).text;
}

setting_source settings::source(const setting_row& row) const noexcept {
  return value_of(row).source;
}

std::string_view foreign_variable(const char* name) noexcept {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view(value);
}

std::vector<std::string> foreign_variables(std::string_view beginning) {
  std::vector<std::string> found;
  for (const char* const* entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with(beginning)) found.emplace_back(*entry);
  }
  return found;
}

/// A new list replaces the old one, which stays unchanged and reachable for threads that are
/// reading it. setenv() would free it under them.
void set_for_children(std::string_view name, std::string_view value) {
  std::string start(name);
  start += '=';
  const std::string entry = start + std::string(value);
  std::size_t count = 0;
  for (; environ != nullptr && environ[count] != nullptr; ++count)
    if (entry == environ[count]) return;
  auto** const list = new char*[count + 2];  // for ever: it is the environment
  char** last = list;
  *last = new char[entry.size() + 1];
  std::memcpy(*last++, entry.c_str(), entry.size() + 1);
  static auto* const kept = new std::vector<char**>;
  kept->push_back(list);
  for (std::size_t i = 0; i < count; ++i)
    if (!std::string_view(environ[i]).starts_with(start)) *last++ = environ[i];
  *last = nullptr;
  __atomic_store_n(&environ, list, __ATOMIC_RELEASE);  // pairs with getenv() in other threads
}

std::vector<std::string> foreign_variables_given(std::string_view beginning) {
  std::vector<std::string> found = foreign_variables(beginning);
  // The system shows the environment as it was when the program began, a zero after each entry.
  std::ifstream file("/proc/self/environ", std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (content.empty()) return found;
  std::set<std::string_view> given;
  for (std::size_t offset = 0; offset < content.size();) {
    const std::string_view entry(content.c_str() + offset);
    given.insert(entry);
    offset += entry.size() + 1;
  }
  std::erase_if(found, [&](const std::string& each) { return !given.contains(each); });
  return found;
}

}  // namespace atl
