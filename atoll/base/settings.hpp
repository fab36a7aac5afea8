// SPDX-License-Identifier: BSD-3-Clause
//
// The settings of a process: who declares them, where their values come from. Each layer declares
// its own in its folder (`settings.hpp`: name, kind, default, range, unit, help) and registers them
// (`settings.cpp`); here they are only collected, read and checked. This is the only reader of the
// environment in the whole tree (the tidy test holds it), so `atoll info --settings` can print all
// of them with the value in force and where it came from, a bad value is refused with the name and
// the range, and an unknown ATOLL_* name is warned about with the nearest real one. A `settings`
// object is read once, at start, and is immutable and thread-safe afterwards; nothing on a data
// path looks at it.
//
// Registered rows are constants in one section of the program or library, which the linker puts
// together. So there is no list of layers to keep, and no code that must run before the first
// reader. A module is another library: the settings of what it holds are declared in the layer that
// opens it, so that they are known whether it is loaded or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl {

/// The form of a value in the environment.
enum class setting_kind : std::uint8_t { flag, number, bytes, choice, text };

/// One setting. Its name identifies it.
struct setting_row {
  std::string_view name;  // the environment variable
  setting_kind kind;
  std::string_view default_value;  // in the syntax of the kind
  std::uint64_t min = 0;           // range, for number and bytes
  std::uint64_t max = ~std::uint64_t{0};
  std::string_view unit = {};     // what a number counts ("packets")
  std::string_view choices = {};  // "direct,am", for choice
  std::string_view help = {};     // one line
  bool power_of_two = false;      // for number: other values in the range are refused
  bool set_by_launcher = false;   // not the user's to set
};

/// Begins the definition of a layer's list of rows, at namespace scope in one source file:
/// `ATOLL_REGISTER_SETTINGS rows_of_core[] = {&setting::wait};`
#define ATOLL_REGISTER_SETTINGS \
  [[gnu::used, gnu::section("atoll_settings")]] static constexpr const ::atl::setting_row* const

/// Where a value in force came from.
enum class setting_source : std::uint8_t { built_in, environment };

/// All settings that are registered in this program or library, by name.
std::span<const setting_row* const> all_settings() noexcept;

/// The values a row accepts, in words ("a power of two from 64 to 65536").
std::string setting_values(const setting_row& row);

/// All settings of one process, read once. Values are parsed and checked by `read`. A variable set
/// to nothing counts as unset; of a name that stands twice the first counts, as with getenv. The
/// settings of the launcher (rank, size, job) have no default: their text is empty when unset.
class settings {
 public:
  /// Reads from "NAME=value" strings (an `environ`-like list ended by a null pointer). Throws
  /// `atl::error` for a value outside its range; unknown ATOLL_* names become warnings().
  static settings read(const char* const* environment);

  /// read(environ) of this process.
  static settings from_environment();

  /// The same with "NAME=value" strings for names that the environment does not set.
  static settings from_environment(std::span<const std::string> fallbacks);

  bool flag(const setting_row& row) const noexcept;             // kind flag
  std::uint64_t number(const setting_row& row) const noexcept;  // kind number or bytes
  unsigned choice(const setting_row& row) const noexcept;  // kind choice: index into the choices
  std::string_view text(const setting_row& row) const noexcept;  // any kind: the text in force
  setting_source source(const setting_row& row) const noexcept;

  /// One line per unknown ATOLL_* variable, naming the nearest real one, and one per ATOLL_*
  /// variable that stands twice with different values.
  const std::vector<std::string>& warnings() const noexcept { return warnings_; }

 private:
  struct value {  // of one row
    std::string text;
    std::uint64_t number = 0;
    setting_source source = setting_source::built_in;
  };
  settings();
  const value& value_of(const setting_row& row) const noexcept;
  void assign(std::size_t index, std::string_view text, setting_source source);
  void take(std::string_view name, std::string_view text);

  std::vector<value> values_;  // in the order of all_settings()
  std::vector<std::string> warnings_;
};

/// Another program's environment variable (a foreign launcher's mark, TMPDIR); empty when unset.
std::string_view foreign_variable(const char* name) noexcept;

/// Another program's variables: the "NAME=value" strings whose names begin with `beginning`.
std::vector<std::string> foreign_variables(std::string_view beginning);

/// The variables among them with which the user or launcher has started this process, without
/// those that the program has set since. All of them where the system does not say.
std::vector<std::string> foreign_variables_given(std::string_view beginning);

/// Sets a variable of this process for what it starts from now on. Threads that read the
/// environment meanwhile see the old list or the new one; no thread may change it meanwhile.
void set_for_children(std::string_view name, std::string_view value);

}  // namespace atl
