// SPDX-License-Identifier: BSD-3-Clause
//
// The book of addresses gives each back as it was, and keeps few bytes of it.
#include <atoll/transport/ofi/address_book.hpp>

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace atl::transport::ofi {
namespace {

using addresses = std::vector<std::vector<std::byte>>;

address_book book_of(const addresses& all) {
  return {static_cast<rank_id>(all.size()),
          [&](rank_id rank) { return std::span<const std::byte>(all[rank]); }};
}

void expect_all(const addresses& all, std::size_t bytes_per_rank) {
  const address_book book = book_of(all);
  for (rank_id rank = 0; rank < all.size(); ++rank) {
    const network_address found = book.address(rank);
    EXPECT_TRUE(std::ranges::equal(std::span(found.data).first(found.bytes), all[rank])) << rank;
  }
  EXPECT_EQ(book.bytes_per_rank(), bytes_per_rank);
}

std::vector<std::byte> ip_address(std::uint32_t host, std::uint16_t port) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_port = htons(port);
  made.sin_addr.s_addr = htonl(host);
  const auto bytes = std::as_bytes(std::span(&made, 1));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

TEST(address_book, keeps_of_addresses_what_they_do_not_have_in_common) {
  addresses all;
  for (std::uint16_t i = 0; i < 300; ++i)  // two bytes of the host, two of the port
    all.push_back(ip_address(0x0a010000 + i, static_cast<std::uint16_t>(40'000 + 7 * i)));
  expect_all(all, 4);
}

TEST(address_book, keeps_nothing_of_equal_addresses) {
  expect_all({bytes_of("here"), bytes_of("here"), bytes_of("here")}, 0);
  expect_all({bytes_of("alone")}, 0);
  expect_all({}, 0);
}

TEST(address_book, addresses_may_differ_in_length_and_be_missing) {
  expect_all({bytes_of("fi_shm://9"), bytes_of("fi_shm://123"), {}, bytes_of("fi_shm://1")}, 13);
  expect_all({{}, bytes_of("a")}, 2);
}

TEST(address_book, takes_the_longest_address) {
  expect_all({bytes_of(std::string(256, 'x')), bytes_of(std::string(256, 'y'))}, 256);
}

}  // namespace
}  // namespace atl::transport::ofi
