// SPDX-License-Identifier: BSD-3-Clause
//
// Writes and reads lists of networks. A list is a sequence of entries: the sizes of name and card,
// the name, the card.
#include <atoll/core/job/network_cards.hpp>

#include <cstdint>
#include <cstring>

namespace atl {
namespace {

struct entry_head {
  std::uint32_t name_bytes;
  std::uint32_t card_bytes;
};

struct entry {
  std::string_view name;
  std::span<const std::byte> card;
};

/// Takes the first entry off the list; false at its end, and where it makes no sense.
bool take(std::span<const std::byte>& list, entry& taken) noexcept {
  entry_head head;
  if (list.size() < sizeof head) return false;
  std::memcpy(&head, list.data(), sizeof head);
  const std::span<const std::byte> remainder = list.subspan(sizeof head);
  if (head.name_bytes > remainder.size() || head.card_bytes > remainder.size() - head.name_bytes)
    return false;
  taken.name = {reinterpret_cast<const char*>(remainder.data()), head.name_bytes};
  taken.card = remainder.subspan(head.name_bytes, head.card_bytes);
  list = remainder.subspan(std::size_t{head.name_bytes} + head.card_bytes);
  return true;
}

std::size_t number_of(std::span<const std::byte> list, std::string_view name) noexcept {
  entry each;
  for (std::size_t number = 0; take(list, each); ++number)
    if (each.name == name) return number;
  return no_network;
}

}  // namespace

void add_network_card(std::vector<std::byte>& list, std::string_view name,
                      std::span<const std::byte> card) {
  const entry_head head{.name_bytes = static_cast<std::uint32_t>(name.size()),
                        .card_bytes = static_cast<std::uint32_t>(card.size())};
  const auto add = [&](std::span<const std::byte> bytes) {
    list.insert(list.end(), bytes.begin(), bytes.end());
  };
  add(std::as_bytes(std::span(&head, 1)));
  add(std::as_bytes(std::span(name)));
  add(card);
}

std::span<const std::byte> card_of(std::span<const std::byte> list,
                                   std::string_view name) noexcept {
  entry each;
  while (take(list, each))
    if (each.name == name) return each.card;
  return {};
}

std::string_view network_named(std::span<const std::byte> list, std::size_t number) noexcept {
  entry each;
  for (std::size_t i = 0; take(list, each); ++i)
    if (i == number) return each.name;
  return {};
}

std::pair<std::size_t, std::size_t> first_in_both(std::span<const std::byte> first,
                                                  std::span<const std::byte> second) noexcept {
  entry each;
  for (std::size_t number = 0; take(first, each); ++number) {
    const std::size_t other = number_of(second, each.name);
    if (other != no_network) return {number, other};
  }
  return {no_network, no_network};
}

std::string names_of_networks(std::span<const std::byte> list) {
  std::string names;
  entry each;
  while (take(list, each)) {
    if (!names.empty()) names += ", ";
    names += each.name;
  }
  return names.empty() ? "none" : names;
}

}  // namespace atl
