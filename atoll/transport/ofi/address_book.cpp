// SPDX-License-Identifier: BSD-3-Clause
//
// Writing and reading of the book: first the places at which addresses differ are found, then the
// bytes there are taken.
#include <atoll/transport/ofi/address_book.hpp>

#include <atoll/base/assert.hpp>

#include <algorithm>
#include <bitset>
#include <cstring>

namespace atl::transport::ofi {

address_book::row::row(std::span<const std::byte> address) noexcept {
  ATOLL_ASSERT(address.size() <= network_address::bytes_max, "an address is short", address.size());
  std::ranges::copy(address, bytes.begin());
  const auto length = static_cast<std::uint16_t>(address.size());
  std::memcpy(bytes.data() + network_address::bytes_max, &length, sizeof length);
}

network_address address_book::row::address() const noexcept {
  network_address found;
  std::uint16_t length = 0;
  std::memcpy(&length, bytes.data() + network_address::bytes_max, sizeof length);
  std::copy_n(bytes.begin(), length, found.data.begin());
  found.bytes = length;
  return found;
}

address_book::address_book(rank_id ranks,
                           const std::function<std::span<const std::byte>(rank_id)>& address_of) {
  if (ranks == 0) return;
  common_ = row(address_of(0));
  std::bitset<sizeof(row::bytes)> differs;
  for (rank_id rank = 1; rank < ranks; ++rank) {
    const row each(address_of(rank));
    for (std::size_t i = 0; i < each.bytes.size(); ++i)
      if (each.bytes[i] != common_.bytes[i]) differs.set(i);
  }
  for (std::size_t i = 0; i < differs.size(); ++i)
    if (differs[i]) varying_.push_back(static_cast<std::uint16_t>(i));
  kept_.reserve(ranks * varying_.size());
  for (rank_id rank = 0; rank < ranks; ++rank) {
    const row each(address_of(rank));
    for (const std::uint16_t place : varying_) kept_.push_back(each.bytes[place]);
  }
}

network_address address_book::address(rank_id rank) const noexcept {
  row found = common_;
  const std::byte* from = kept_.data() + rank * varying_.size();
  for (const std::uint16_t place : varying_) found.bytes[place] = *from++;
  return found.address();
}

}  // namespace atl::transport::ofi
