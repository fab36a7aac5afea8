// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the list of networks in ATOLL_OFI_PROVIDER: what it names, and what is refused; and the
// interface that a job of several hosts may not use.
#include <atoll/transport/ofi/fabric.hpp>
#include <atoll/transport/ofi/network_name.hpp>

#include <atoll/base/error.hpp>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cstdlib>
#include <cstring>
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

TEST(network_names, only_providers_that_were_tried_are_told_addresses_late) {
  for (const char* tried : {"net", "tcp", "tcp;ofi_rxm", "udp;ofi_rxd", "sockets", "shm"})
    EXPECT_TRUE(hears_strangers(tried)) << tried;
  for (const char* other : {"psm2", "psm3", "opx", "efa", "ucx", "cxi", "verbs;ofi_rxm", "verbs",
                            "verbs;ofi_rxd", "strict", ""})
    EXPECT_FALSE(hears_strangers(other)) << other;
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

/// An offer as libfabric makes for a network interface of the kernel.
info_list offer(const char* interface, std::uint32_t address) {
  info_list made(::fi_allocinfo());
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(address);
  made->addr_format = FI_SOCKADDR_IN;
  made->src_addr = std::malloc(sizeof own);  // freed with the rest, as `name` is
  made->src_addrlen = sizeof own;
  std::memcpy(made->src_addr, &own, sizeof own);
  made->domain_attr->name = ::strdup(interface);
  return made;
}

TEST(interfaces, that_stay_on_the_machine_are_refused_when_hosts_know_another) {
  const info_list loopback = offer("lo", INADDR_LOOPBACK);
  try {
    refuse_loopback(*loopback, "eth7");
    FAIL() << "not refused";
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find("interface eth7: "), std::string::npos)
        << refused.what();
  }
  EXPECT_NO_THROW(refuse_loopback(*loopback, "lo"));  // all hosts are one machine
  EXPECT_NO_THROW(refuse_loopback(*loopback, ""));
  EXPECT_NO_THROW(refuse_loopback(*offer("lo", 0x0a000001), "eth7"));  // 10.0.0.1
}

}  // namespace
}  // namespace atl::transport::ofi
