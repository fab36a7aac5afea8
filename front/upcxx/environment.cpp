// SPDX-License-Identifier: BSD-3-Clause
//
// Variables of the environment that programs read as sizes, and the numbers of this library.
#include <atoll/base/parse.hpp>
#include <atoll/base/text.hpp>
#include <upcxx/job.hpp>
#include <upcxx/say.hpp>
#include <upcxx/version.hpp>

#include <cmath>
#include <optional>
#include <string_view>

namespace atl::upcxx_front {
namespace {

std::optional<std::int64_t> parse_size(std::string_view text, std::size_t unit_bytes) {
  const auto amount = parse_amount(text);
  if (!amount) return std::nullopt;
  const double bytes = amount->bytes(static_cast<double>(unit_bytes));
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
