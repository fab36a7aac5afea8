// SPDX-License-Identifier: BSD-3-Clause
//
// The libfabric transport keeps the promises of all transports, with every provider that works on
// one machine without hardware. A provider that this libfabric lacks is skipped, with a line.
#include <atoll/base/error.hpp>
#include <tests/conformance/ofi/network_suite.hpp>
#include <tests/conformance/transport_suite.hpp>

namespace atl::transport {

struct net_backend : network_backend {
  net_backend() : network_backend("net", ATOLL_TEST_MODULES) {}
};
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_net, transport_suite, net_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_net, transport_queue_suite, net_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_net, network_suite, net_backend);

struct rxm_backend : network_backend {
  rxm_backend() : network_backend("tcp;ofi_rxm", ATOLL_TEST_MODULES) {}
};
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxm, transport_suite, rxm_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxm, transport_queue_suite, rxm_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxm, network_suite, rxm_backend);

struct rxd_backend : network_backend {
  rxd_backend() : network_backend("udp;ofi_rxd", ATOLL_TEST_MODULES) {}
};
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxd, transport_suite, rxd_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxd, transport_queue_suite, rxd_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxd, network_suite, rxd_backend);

/// The smallest size that the transport leaves to the provider's own transfers.
std::size_t transfer_min_of(const char* provider, const char* transfers) {
  network_backend backend(provider, ATOLL_TEST_MODULES);
  const std::string choice = std::string("ATOLL_OFI_TRANSFERS=") + transfers;
  const std::array<const char*, 3> names{backend.choice.c_str(), choice.c_str(), nullptr};
  backend.configuration = settings::read(names.data());
  std::vector<recording_receiver> receivers(2);
  const auto transports = backend.make(2, false, {&receivers[0], &receivers[1]});
  EXPECT_NE(transports[0]->describe().transfer_max, 0u);
  return transports[0]->describe().transfer_min;
}

TEST(ofi_net_transfers, small_ones_are_better_sent_as_messages_over_plain_streams_unless_told) {
  EXPECT_EQ(transfer_min_of("net", "auto"), 24576u);
  EXPECT_EQ(transfer_min_of("net", "native"), 0u);
  EXPECT_EQ(transfer_min_of("tcp;ofi_rxm", "auto"), 0u);
}

}  // namespace atl::transport
