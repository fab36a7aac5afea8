// SPDX-License-Identifier: BSD-3-Clause
//
// The list of networks in ATOLL_OFI_PROVIDER: what it names, and what is refused.
#include <atoll/transport/ofi/network_name.hpp>

#include <atoll/base/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace atl::transport::ofi {
namespace {

TEST(network_names, are_separated_by_commas_and_may_have_an_interface) {
  const auto names = networks_of("net,udp;ofi_rxd@eth1,tcp;ofi_rxm");
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0].provider, "net");
  EXPECT_EQ(names[0].interface, "");
  EXPECT_EQ(names[1].provider, "udp;ofi_rxd");
  EXPECT_EQ(names[1].interface, "eth1");
  EXPECT_EQ(names[2].provider, "tcp;ofi_rxm");
}

TEST(network_names, nothing_stands_for_one_network_that_libfabric_chooses) {
  const auto names = networks_of("");
  ASSERT_EQ(names.size(), 1u);
  EXPECT_EQ(names[0].provider, "");
}

TEST(network_names, one_provider_may_be_used_by_two_interfaces) {
  EXPECT_EQ(networks_of("net@eth0,net@eth1").size(), 2u);
}

std::string refusal_of(std::string_view list) {
  try {
    networks_of(list);
  } catch (const error& refused) {
    return refused.what();
  }
  return {};
}

TEST(network_names, lists_that_name_nothing_or_too_much_are_refused) {
  for (const std::string_view each : {"net,", ",net", "net,,udp", "@eth0", ","})
    EXPECT_NE(refusal_of(each).find("a network has no name"), std::string::npos) << each;
  EXPECT_NE(refusal_of("net,udp,net").find("net is named twice"), std::string::npos);
  EXPECT_NE(refusal_of("a,b,c,d,e").find("at most 4 networks"), std::string::npos);
}

}  // namespace
}  // namespace atl::transport::ofi
