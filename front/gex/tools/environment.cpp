// SPDX-License-Identifier: BSD-3-Clause
//
// The client's environment. Atoll's own settings are one table that is read once; these functions
// are the client's way to variables of its own, and read them whenever they are called, through the
// same single reader (base/settings). Reports are one line each on rank 0, once for each name.
#include <gasnettools_environment.h>
#include <gasnettools_failure.h>
#include <atoll/base/log.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/base/text.hpp>
#include <front/gex/objects.hpp>
#include <front/gex/tools/numbers.hpp>
#include <front/gex/tools/tools.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

namespace atl::gex {

std::uint32_t tools_rank() noexcept {
  if (the_process != nullptr) return runtime().rank();
  return static_cast<std::uint32_t>(parse_integer(foreign_variable("ATOLL_RANK")).value);
}

bool switched_on(const char* variable) noexcept {
  return parse_yes_no(foreign_variable(variable)).value_or(false);
}

namespace {

/// Names that have been reported.
class reports {
 public:
  bool first(const char* name) {
    const std::scoped_lock guard(mutex_);
    return names_.insert(name).second;
  }

 private:
  std::mutex mutex_;
  std::set<std::string> names_;  // guarded by mutex_
};

void report(const char* name, std::string_view value, bool is_default) {
  static reports done;
  if (gasnett_verboseenv() == 0 || !done.first(name)) return;
  log_line(log_level::error, text("ENV parameter: ", name, " = ", value,  // printed at any level
                                  is_default ? "   (default)" : ""));
}

/// The text of a variable, empty when it is unset.
std::string_view value_of(const char* name) noexcept { return foreign_variable(name); }

[[noreturn]] void refuse_value(const char* name, std::string_view value, const char* expected) {
  gasnett_fatalerror_nopos("%s: the value \"%.*s\" is not %s; correct it, or unset it", name,
                           static_cast<int>(std::min<std::size_t>(value.size(), 200)), value.data(),
                           expected);
}

/// Whether only blanks follow from there on.
bool ends_at(std::string_view value, std::size_t length) noexcept {
  return length > 0 && value.find_first_not_of(" \t", length) == std::string_view::npos;
}

}  // namespace
}  // namespace atl::gex

using namespace atl::gex;

// --- numbers as text -------------------------------------------------------------------------

char* gasnett_format_number(int64_t value, char* buf, size_t bufsz, int is_mem_size) {
  if (bufsz == 0) return buf;
  const std::string shown = is_mem_size != 0 ? memory_text(value) : integer_text(value);
  const size_t length = std::min(bufsz - 1, shown.size());
  std::memcpy(buf, shown.data(), length);
  buf[length] = '\0';
  return buf;
}

int64_t gasnett_parse_int(const char* text, uint64_t mem_size_multiplier) {
  return mem_size_multiplier == 0 ? parse_integer(text).value
                                  : parse_memory(text, mem_size_multiplier).value;
}

// --- variables -------------------------------------------------------------------------------

void gasnett_setenv(const char* name, const char* value) {
  if (::setenv(name, value, 1) == 0) return;
  gasnett_fatalerror_nopos("gasnett_setenv: \"%s\" cannot be set: %s", name, std::strerror(errno));
}

void gasnett_unsetenv(const char* name) {
  if (::unsetenv(name) == 0) return;
  gasnett_fatalerror_nopos("gasnett_unsetenv: \"%s\" cannot be unset: %s", name,
                           std::strerror(errno));
}

char* gasnett_getenv(const char* name) {
  // The text of a variable is terminated by a zero byte; the text of an unset one is null.
  return const_cast<char*>(value_of(name).data());
}

char* gasnett_getenv_withdefault(const char* name, const char* default_value) {
  const std::string_view value = value_of(name);
  const char* const chosen = value.empty() ? default_value : value.data();
  report(name, chosen == nullptr ? "(none)" : chosen, value.empty());
  return const_cast<char*>(chosen);
}

int gasnett_getenv_yesno_withdefault(const char* name, int default_value) {
  const std::string_view value = value_of(name);
  const std::optional<bool> said = parse_yes_no(value);
  if (!value.empty() && !said) refuse_value(name, value, "yes or no (1 or 0)");
  const bool chosen = said.value_or(default_value != 0);
  report(name, chosen ? "YES" : "NO", value.empty());
  return chosen ? 1 : 0;
}

int64_t gasnett_getenv_int_withdefault(const char* name, int64_t default_value,
                                       uint64_t mem_size_multiplier) {
  const std::string_view value = value_of(name);
  const bool is_memory = mem_size_multiplier != 0;
  const auto number = is_memory ? parse_memory(value, mem_size_multiplier) : parse_integer(value);
  if (!value.empty() && !ends_at(value, number.length)) {
    refuse_value(name, value, is_memory ? "an amount of memory (such as 64MB)" : "a whole number");
  }
  const int64_t chosen = value.empty() ? default_value : number.value;
  report(name, is_memory ? memory_text(chosen) : integer_text(chosen), value.empty());
  return chosen;
}

double gasnett_getenv_dbl_withdefault(const char* name, double default_value) {
  const std::string_view value = value_of(name);
  const auto number = parse_real(value);
  if (!value.empty() && !ends_at(value, number.length)) {
    refuse_value(name, value, "a number (such as 1.5, -1e4 or 3/8)");
  }
  const double chosen = value.empty() ? default_value : number.value;
  report(name, atl::text(chosen), value.empty());
  return chosen;
}

// --- reports ---------------------------------------------------------------------------------

int gasnett_verboseenv() { return tools_rank() == 0 && switched_on("GASNET_VERBOSEENV") ? 1 : 0; }

void gasnett_envstr_display(const char* name, const char* value, int is_default) {
  report(name, value == nullptr ? "(none)" : value, is_default != 0);
}
void gasnett_envint_display(const char* name, int64_t value, int is_default, int is_mem_size) {
  report(name, is_mem_size != 0 ? memory_text(value) : integer_text(value), is_default != 0);
}
void gasnett_envdbl_display(const char* name, double value, int is_default) {
  report(name, atl::text(value), is_default != 0);
}
