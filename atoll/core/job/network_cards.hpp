// SPDX-License-Identifier: BSD-3-Clause
//
// The description of a rank's networks that all ranks are sent: for each network, best first, its
// name and the card by which others find the rank there. The bytes come from other processes, so a
// reader trusts none of them: a list that makes no sense ends where it stops making sense.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl {

inline constexpr std::size_t no_network = ~std::size_t{0};

/// Appends a network to the list.
void add_network_card(std::vector<std::byte>& list, std::string_view name,
                      std::span<const std::byte> card);

/// The card of the network with this name; empty where the list has none.
std::span<const std::byte> card_of(std::span<const std::byte> list, std::string_view name) noexcept;

/// The name of the network with this number in the list; empty beyond its end.
std::string_view network_named(std::span<const std::byte> list, std::size_t number) noexcept;

/// The first network of the first list that the second has too: its number in each of them;
/// no_network twice where there is none.
std::pair<std::size_t, std::size_t> first_in_both(std::span<const std::byte> first,
                                                  std::span<const std::byte> second) noexcept;

constexpr std::pair<std::size_t, std::size_t> swapped(
    std::pair<std::size_t, std::size_t> numbers) noexcept {
  return {numbers.second, numbers.first};
}

/// "net, udp;ofi_rxd", or "none".
std::string names_of_networks(std::span<const std::byte> list);

}  // namespace atl
