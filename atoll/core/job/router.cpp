// SPDX-License-Identifier: BSD-3-Clause
//
// The seldom parts of a router: taking transports over, and parting from ranks.
#include <atoll/core/job/router.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/transport/list.hpp>

#include <algorithm>
#include <utility>

namespace atl {
namespace {

std::size_t least_medium(const std::vector<std::unique_ptr<transport::transport>>& transports) {
  ATOLL_ASSERT(!transports.empty(), "a rank has a transport to itself at least");
  std::size_t least = transports.front()->describe().medium_max;
  for (const auto& each : transports) least = std::min(least, each->describe().medium_max);
  return least;
}

}  // namespace

router::router(transport::opened&& opened)
    : transports_(std::move(opened.transports)),
      routes_(std::move(opened.routes)),
      polled_(std::move(opened.polled)),
      network_(opened.network),
      medium_max_(least_medium(transports_)) {}

router::~router() = default;

void router::forget(rank_id lost) noexcept {
  for (const auto& each : transports_) each->forget(lost);
}

std::vector<std::unique_ptr<transport::transport>> router::release() noexcept {
  return std::move(transports_);
}

}  // namespace atl
