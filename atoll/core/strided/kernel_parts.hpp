// SPDX-License-Identifier: BSD-3-Clause
//
// Two streams of rows as the kernel wants them: two lists of parts, which are filled and handed
// over again and again until the streams end. Runs that follow each other become one part. Values
// on the stack of a transfer; no allocation.
#pragma once

#include <atoll/core/strided/rows.hpp>
#include <atoll/memory/kernel_copy.hpp>

#include <sys/uio.h>

#include <array>
#include <span>

namespace atl {

/// One side of a transfer.
class kernel_parts {
 public:
  std::span<const iovec> list() const noexcept { return {parts_.data(), size_}; }
  std::size_t room() const noexcept { return parts_.size() - size_; }
  void clear() noexcept { size_ = 0; }

  /// Adds the runs of a row, of which there are at most room().
  void add(const run_row& row) noexcept {
    for (std::size_t i = 0; i < row.count; ++i) {
      const auto address = row.address + static_cast<std::uintptr_t>(row.stride) * i;
      if (size_ != 0 && end_ == address) {
        parts_[size_ - 1].iov_len += row.bytes;
      } else {
        parts_[size_++] = {reinterpret_cast<void*>(address), row.bytes};
      }
      end_ = address + row.bytes;
    }
  }

 private:
  std::size_t size_ = 0;
  std::uintptr_t end_ = 0;                                   // of the last part
  std::array<iovec, memory::kernel_copy::parts_max> parts_;  // the first size_ are set
};

/// Calls move(remote_parts, local_parts, bytes) for one pair of lists after the other; false when
/// a call returns false.
template <class Rows, class Move>
bool move_in_parts(row_walker<Rows> remote, row_walker<Rows> local, Move move) noexcept {
  kernel_parts remote_parts, local_parts;
  while (!remote.done() && !local.done()) {
    remote_parts.clear();
    local_parts.clear();
    std::size_t bytes = 0;
    while (!remote.done() && !local.done() && remote_parts.room() != 0 && local_parts.room() != 0) {
      row_piece piece = common_piece(remote.now(), local.now(), SIZE_MAX);
      piece.count = std::min({piece.count, remote_parts.room(), local_parts.room()});
      remote_parts.add(part_of(remote.now(), piece));
      local_parts.add(part_of(local.now(), piece));
      remote.take(piece);
      local.take(piece);
      bytes += piece.total();
    }
    if (!move(remote_parts.list(), local_parts.list(), bytes)) return false;
  }
  return true;
}

}  // namespace atl
