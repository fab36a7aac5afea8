// SPDX-License-Identifier: BSD-3-Clause
//
// The addresses of all ranks on a network, as libfabric writes them, until each is needed. A rank
// of a large job talks to few others, and libfabric keeps hundreds of bytes of an address that it
// was told. So the transport tells it an address at the first contact, and keeps only the bytes
// that are not the same for all ranks: of IPv4 the port and what hosts do not have in common.
//
// Threads: const after construction.
#pragma once

#include <atoll/base/rank.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace atl::transport::ofi {

/// An address, as libfabric takes it.
struct network_address {
  static constexpr std::size_t bytes_max = 256;
  alignas(8) std::array<std::byte, bytes_max> data{};
  std::size_t bytes = 0;
};

class address_book {
 public:
  /// An empty book.
  address_book() = default;

  /// Takes the address of each rank, of at most bytes_max bytes; none for a rank that does not have
  /// the network. Calls `address_of` twice per rank.
  address_book(rank_id ranks, const std::function<std::span<const std::byte>(rank_id)>& address_of);

  network_address address(rank_id rank) const noexcept;

  /// Bytes that the book keeps for each rank.
  std::size_t bytes_per_rank() const noexcept { return varying_.size(); }

 private:
  // An address and, behind its end, its length; read where it differs.
  struct row {
    std::array<std::byte, network_address::bytes_max + 2> bytes{};
    explicit row(std::span<const std::byte> address) noexcept;
    row() = default;
    network_address address() const noexcept;
  };

  row common_;                          // the first rank's
  std::vector<std::uint16_t> varying_;  // the places at which others differ
  std::vector<std::byte> kept_;         // by rank: what is there
};

}  // namespace atl::transport::ofi
