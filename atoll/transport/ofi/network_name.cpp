// SPDX-License-Identifier: BSD-3-Clause
//
// Taking the list apart. Names of providers contain semicolons (tcp;ofi_rxm), and neither commas
// nor the sign before an interface.
#include <atoll/transport/ofi/network_name.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/transport/transport.hpp>

#include <algorithm>

namespace atl::transport::ofi {
namespace {

network_name name_in(std::string_view entry) {
  const std::size_t sign = entry.find('@');
  if (sign == std::string_view::npos) return {.provider = entry, .interface = {}};
  return {.provider = entry.substr(0, sign), .interface = entry.substr(sign + 1)};
}

[[noreturn]] void refuse(std::string_view list, std::string cause, std::string remedy) {
  throw error(text("ATOLL_OFI_PROVIDER=", list), std::move(cause), std::move(remedy));
}

}  // namespace

void refuse_twice(const network_name& named) {
  throw error("ATOLL_OFI_PROVIDER", text("the network ", named.provider, " is named twice"),
              "name each network once");
}

std::vector<network_name> networks_of(std::string_view list) {
  if (list.empty()) return {network_name{}};
  std::vector<network_name> names;
  for (std::string_view rest = list;;) {
    const std::size_t comma = rest.find(',');
    const network_name named = name_in(rest.substr(0, comma));
    if (named.provider.empty())
      refuse(list, "a network has no name", "separate the names of providers by single commas");
    const bool known = std::ranges::any_of(names, [&](const network_name& each) {
      return each.provider == named.provider && each.interface == named.interface;
    });
    if (known) refuse_twice(named);
    names.push_back(named);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (names.size() > networks_max)
    refuse(list, text("a rank has at most ", networks_max, " networks"), "name fewer");
  return names;
}

}  // namespace atl::transport::ofi
