// SPDX-License-Identifier: BSD-3-Clause
//
// Variables of the environment that programs read as sizes, and the numbers of this library.
#include <atoll/base/parse.hpp>
#include <atoll/base/text.hpp>
#include <upcxx/job.hpp>
#include <upcxx/say.hpp>
#include <upcxx/version.hpp>

namespace upcxx {

std::int64_t os_env(const std::string& name, const std::int64_t& otherwise,
                    std::size_t unit_bytes) {
  const char* const text = getenv_console(name.c_str());
  if (text == nullptr || *text == '\0') return otherwise;
  const auto size = atl::parse_size(
      text, {.unit_bytes = static_cast<double>(unit_bytes), .least = -0x1p62, .most = 0x1p62});
  if (size) return *size;
  atl::upcxx_front::refuse(atl::text("upcxx::experimental::os_env of ", name).c_str(),
                           atl::text("'", text, "' is not a size").c_str(),
                           "write a number and one of B, K, M, G, T, as in 64M");
}

long release_version() noexcept { return UPCXX_VERSION; }
long spec_version() noexcept { return UPCXX_SPEC_VERSION; }

}  // namespace upcxx
