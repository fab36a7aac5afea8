// SPDX-License-Identifier: BSD-3-Clause
//
// Lists of networks: what was added is found by name and number, the choice between two lists, and
// bytes that are no list.
#include <atoll/core/job/network_cards.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <random>

namespace atl {
namespace {

using list = std::vector<std::byte>;

list list_of(std::initializer_list<std::string_view> names) {
  list made;
  for (const std::string_view each : names) {
    const std::string card = "card of " + std::string(each);
    add_network_card(made, each, std::as_bytes(std::span(card)));
  }
  return made;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

using numbers = std::pair<std::size_t, std::size_t>;

TEST(network_cards, are_found_by_name_and_by_number) {
  const list two_cards = list_of({"net", "udp;ofi_rxd"});
  EXPECT_EQ(text_of(card_of(two_cards, "net")), "card of net");
  EXPECT_EQ(text_of(card_of(two_cards, "udp;ofi_rxd")), "card of udp;ofi_rxd");
  EXPECT_TRUE(card_of(two_cards, "udp").empty());
  EXPECT_EQ(network_named(two_cards, 0), "net");
  EXPECT_EQ(network_named(two_cards, 1), "udp;ofi_rxd");
  EXPECT_EQ(network_named(two_cards, 2), "");
  EXPECT_EQ(names_of_networks(two_cards), "net, udp;ofi_rxd");
  EXPECT_EQ(names_of_networks({}), "none");
}

TEST(network_cards, the_first_list_decides_which_common_network_is_taken) {
  const list ab = list_of({"a", "b"}), ba = list_of({"b", "a"}), b = list_of({"b"}),
             c = list_of({"c"});
  EXPECT_EQ(first_in_both(ab, ab), numbers(0, 0));
  EXPECT_EQ(first_in_both(ab, ba), numbers(0, 1));
  EXPECT_EQ(first_in_both(ba, ab), numbers(0, 1));
  EXPECT_EQ(first_in_both(ab, b), numbers(1, 0));
  EXPECT_EQ(first_in_both(b, ab), numbers(0, 1));
  EXPECT_EQ(swapped(first_in_both(b, ab)), numbers(1, 0));
  EXPECT_EQ(first_in_both(ab, c), numbers(no_network, no_network));
  EXPECT_EQ(first_in_both(ab, {}), numbers(no_network, no_network));
}

TEST(network_cards, a_list_that_was_cut_ends_at_the_cut) {
  const list names = list_of({"net", "udp"});
  for (std::size_t bytes = 0; bytes < names.size(); ++bytes) {
    const std::span cut = std::span(names).first(bytes);
    const bool has_first = bytes >= list_of({"net"}).size();
    EXPECT_EQ(names_of_networks(cut), has_first ? "net" : "none");
    EXPECT_TRUE(card_of(cut, "udp").empty());
  }
}

TEST(network_cards, bytes_without_sense_are_read_no_further_than_they_go) {
  std::mt19937 dice(7);
  for (int round = 0; round < 2000; ++round) {
    list noise(dice() % 64);
    for (std::byte& each : noise) each = static_cast<std::byte>(dice() % 4 == 0 ? dice() : 0);
    EXPECT_LE(names_of_networks(noise).size(), 128u);
    EXPECT_LE(card_of(noise, "").size(), noise.size());
    first_in_both(noise, list_of({"a"}));
  }
}

}  // namespace
}  // namespace atl
