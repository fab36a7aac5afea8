// SPDX-License-Identifier: BSD-3-Clause
//
// The names of networks in ATOLL_OFI_PROVIDER: a list of libfabric's providers, the best first,
// each perhaps with the interface that it is to use (net,udp@eth1). A rank opens all of them. Two
// ranks use one that both have, so ranks may have different lists.
#pragma once

#include <string_view>
#include <vector>

namespace atl::transport::ofi {

/// Views of the setting's text.
struct network_name {
  std::string_view provider;   // as fi_info names it; empty: the best there is
  std::string_view interface;  // empty: as ATOLL_OFI_INTERFACE says
};

/// The networks of a list; one without a name where the list is empty. Throws `atl::error` for an
/// entry without a provider, one that is there twice, and more than networks_max of them.
std::vector<network_name> networks_of(std::string_view list);

/// Throws that the list has this network twice.
[[noreturn]] void refuse_twice(const network_name& named);

}  // namespace atl::transport::ofi
