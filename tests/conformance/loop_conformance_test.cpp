// SPDX-License-Identifier: BSD-3-Clause
//
// Tests that the loop transport keeps the promises of all transports.
#include <atoll/transport/loop/context.hpp>
#include <tests/conformance/transport_suite.hpp>

namespace atl::transport {

struct loop_backend {
  static constexpr std::array<rank_id, 1> ranks{1};

  std::vector<std::unique_ptr<transport>> make(rank_id, bool threaded,
                                               const std::vector<receiver*>& to) {
    std::vector<std::unique_ptr<transport>> transports;
    transports.push_back(std::make_unique<loop::context>(0, threaded, *to[0]));
    return transports;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(loop, transport_suite, loop_backend);

}  // namespace atl::transport
