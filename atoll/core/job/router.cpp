// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a router that run rarely: taking transports, finding a network to each rank, and
// forgetting lost ranks.
#include <atoll/core/job/router.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/sparse_table.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/job/network_cards.hpp>
#include <atoll/transport/list.hpp>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace atl {
namespace {

std::size_t least_medium(const std::vector<std::unique_ptr<transport::transport>>& transports) {
  ATOLL_ASSERT(!transports.empty(), "a rank has a transport to itself at least");
  std::size_t least = transports.front()->describe().medium_max;
  for (const auto& each : transports) least = std::min(least, each->describe().medium_max);
  return least;
}

void note(std::vector<std::uint8_t>& table, std::size_t ranks, rank_id peer, std::size_t value) {
  if (value == 0) return;
  table.resize(ranks);
  table[peer] = static_cast<std::uint8_t>(value);
}

}  // namespace

router::router(transport::opened&& opened)
    : transports_(std::move(opened.transports)),
      polled_(std::move(opened.polled)),
      networks_(std::move(opened.networks)),
      medium_max_(least_medium(transports_)) {
  for (const auto& each : transports_) {
    numbered_.push_back(each.get());
    descriptions_.push_back(each->describe());
  }
  routes_.reserve(opened.routes.size());
  for (const transport::transport* each : opened.routes) routes_.push_back(number_of(each));
}

router::~router() = default;

std::uint8_t router::number_of(const transport::transport* one) const noexcept {
  const auto found = std::ranges::find(numbered_, one);
  ATOLL_ASSERT(found != numbered_.end(), "a route goes by one of the transports");
  return static_cast<std::uint8_t>(found - numbered_.begin());
}

bool router::is_network(const transport::transport& via) const noexcept {
  return std::ranges::find(networks_, &via) != networks_.end();
}

std::vector<std::byte> router::publish() const {
  std::vector<std::byte> published;
  for (transport::transport* each : networks_)
    add_network_card(published, each->describe().network, each->publish());
  return published;
}

void router::connect(rank_id self, rank_range neighbours,
                     std::span<const std::span<const std::byte>> published) {
  const sparse_table<std::span<const std::byte>> cards(
      published.size());  // leaves no gap in a heap
  for (transport::transport* each : networks_) {
    const std::string_view name = each->describe().network;
    for (rank_id peer = 0; peer < published.size(); ++peer)
      cards[peer] = card_of(published[peer], name);
    each->connect({cards.data(), published.size()});
  }
  for (rank_id peer = 0; peer < published.size(); ++peer) {
    if (network_named(published[peer], 0) != network_named(published[self], 0))
      note(other_first_, published.size(), peer, 1);
    if (!neighbours.contains(peer)) choose(self, peer, published[self], published[peer]);
  }
}

// A test may have put a transport of its own before a network: then the route stays as it is.
void router::choose(rank_id self, rank_id peer, std::span<const std::byte> own,
                    std::span<const std::byte> remote) {
  const auto [number, remote_number] =
      self < peer ? first_in_both(own, remote) : swapped(first_in_both(remote, own));
  if (number == no_network) {
    throw error(text("network from rank ", self, " to rank ", peer),
                text("no network is common to both: they have ", names_of_networks(own), " and ",
                     names_of_networks(remote)),
                "name one that both have in ATOLL_OFI_PROVIDER, whose list may differ by rank");
  }
  note(numbers_, routes_.size(), peer, remote_number);
  if (is_network(to(peer))) routes_[peer] = number_of(networks_[number]);
}

std::string router::counts_table() const {
  std::string table;
  for (const transport::transport* each : networks_) {
    const transport::capabilities described = each->describe();
    if (described.counts == nullptr) continue;
    const std::string name = text("by ", described.network);
    char line[128];
    std::snprintf(line, sizeof line, "  %-16s %16llu messages %10llu transfers\n", name.c_str(),
                  static_cast<unsigned long long>(described.counts->messages),
                  static_cast<unsigned long long>(described.counts->transfers));
    table += line;
  }
  return table;
}

void router::forget(rank_id lost) noexcept {
  for (const auto& each : transports_) each->forget(lost);
}

std::vector<std::unique_ptr<transport::transport>> router::release() noexcept {
  return std::move(transports_);
}

}  // namespace atl
