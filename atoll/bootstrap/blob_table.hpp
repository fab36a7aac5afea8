// SPDX-License-Identifier: BSD-3-Clause
//
// The blobs of all ranks after an exchange, by rank, as one block of memory: where each blob ends,
// and then the blobs. A process reads the block where it lies. The launcher puts it into a file of
// memory, which the ranks of a host map: so a host has an answer once, and not once per rank, and
// what a rank is sent does not grow with the job.
//
// Bytes from another process are checked when a table is made: each blob ends within the block, at
// or after the end of the one before it. The file cannot be written any more.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/system/descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace atl::bootstrap {

/// A small message of one rank to all others.
using blob = std::vector<std::byte>;

class blob_table {
 public:
  /// A table of these blobs, by rank, which are copied.
  static blob_table of_blobs(std::span<const blob> blobs);

  /// A table of a block in memory, which is copied; nothing when it does not hold a blob per rank.
  static std::optional<blob_table> of_block(std::span<const std::byte> block, rank_id ranks);

  /// A table of a block in a file, which stays mapped as long as a copy of the table lives. The
  /// descriptor may be closed. Throws `atl::error` when it cannot be mapped.
  static std::optional<blob_table> of_file(const descriptor& file, rank_id ranks);

  rank_id size() const noexcept { return ranks_; }
  std::span<const std::byte> operator[](rank_id rank) const noexcept;
  std::span<const std::byte> at(rank_id rank) const noexcept { return (*this)[rank]; }

 private:
  using memory = std::shared_ptr<const std::byte>;

  blob_table(memory block, rank_id ranks) noexcept : block_(std::move(block)), ranks_(ranks) {}
  static std::optional<blob_table> checked(memory block, std::size_t bytes, rank_id ranks);
  std::uint64_t end_of(rank_id rank) const noexcept;

  memory block_;
  rank_id ranks_;
};

/// The block of these blobs.
std::vector<std::byte> block_of(std::span<const blob> blobs);

/// A file with these bytes, which can only be read. Throws `atl::error`.
descriptor make_block_file(std::span<const std::byte> block);

}  // namespace atl::bootstrap
