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
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_net, network_suite, net_backend);

struct rxm_backend : network_backend {
  rxm_backend() : network_backend("tcp;ofi_rxm", ATOLL_TEST_MODULES) {}
};
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxm, transport_suite, rxm_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxm, network_suite, rxm_backend);

struct rxd_backend : network_backend {
  rxd_backend() : network_backend("udp;ofi_rxd", ATOLL_TEST_MODULES) {}
};
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxd, transport_suite, rxd_backend);
INSTANTIATE_TYPED_TEST_SUITE_P(ofi_rxd, network_suite, rxd_backend);

}  // namespace atl::transport
