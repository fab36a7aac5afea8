// SPDX-License-Identifier: BSD-3-Clause
//
// Variables of the environment that programs read as sizes, and the numbers of this library.
#include <atoll/base/text.hpp>
#include <upcxx/job.hpp>
#include <upcxx/say.hpp>
#include <upcxx/version.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

namespace atl::upcxx_front {
namespace {

/// The factor of a unit: "", "B", "K", "KB", "KiB" and so on up to T, in any case.
std::optional<double> bytes_in(std::string_view unit, std::size_t without) {
  constexpr std::string_view letters = "BKMGT";
  if (unit.empty()) return static_cast<double>(without);
  const std::size_t power = letters.find(static_cast<char>(unit.front() & ~0x20));
  const std::string_view rest = unit.substr(1);
  const bool complete = rest.empty() || rest == "B" || rest == "b" || rest == "iB" || rest == "ib";
  if (power == std::string_view::npos || !complete) return std::nullopt;
  return std::ldexp(1.0, static_cast<int>(10 * power));
}

std::optional<std::int64_t> parse_size(std::string_view text, std::size_t unit_bytes) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  const auto factor = bytes_in(unit, unit_bytes);
  if (!factor) return std::nullopt;
  const double bytes = number * *factor;
  if (!(std::abs(bytes) < 0x1p63)) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

}  // namespace
}  // namespace atl::upcxx_front

namespace upcxx {

std::int64_t os_env(const std::string& name, const std::int64_t& otherwise,
                    std::size_t unit_bytes) {
  const char* const text = getenv_console(name.c_str());
  if (text == nullptr || *text == '\0') return otherwise;
  if (const auto size = atl::upcxx_front::parse_size(text, unit_bytes)) return *size;
  atl::upcxx_front::refuse(atl::text("upcxx::experimental::os_env of ", name).c_str(),
                           atl::text("'", text, "' is not a size").c_str(),
                           "write a number and one of B, K, M, G, T, as in 64M");
}

long release_version() noexcept { return UPCXX_VERSION; }
long spec_version() noexcept { return UPCXX_SPEC_VERSION; }

}  // namespace upcxx
