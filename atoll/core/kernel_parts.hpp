// SPDX-License-Identifier: BSD-3-Clause
//
// Two streams of rows as the kernel wants them: two lists of parts, filled as far as they go and
// handed over again and again until the streams end. Runs that follow each other become one part.
// Values on the stack of a transfer; no allocation.
#pragma once

#include <atoll/core/rows.hpp>
#include <atoll/memory/kernel_copy.hpp>

#include <sys/uio.h>

#include <array>
#include <span>

namespace atl {

/// One side.
class kernel_parts {
 public:
  std::span<const iovec> list() const noexcept { return {parts_.data(), size_}; }
  std::size_t room() const noexcept { return parts_.size() - size_; }
  void clear() noexcept { size_ = 0; }

  /// Adds the runs of a row, of which there are at most room().
  void add(const run_row& row) noexcept {
    for (std::size_t i = 0; i < row.count; ++i) {
      const auto at = row.address + static_cast<std::uintptr_t>(row.stride) * i;
      if (size_ != 0 && end_ == at) {
        parts_[size_ - 1].iov_len += row.bytes;
      } else {
        parts_[size_++] = {reinterpret_cast<void*>(at), row.bytes};
      }
      end_ = at + row.bytes;
    }
  }

 private:
  std::size_t size_ = 0;
  std::uintptr_t end_ = 0;                                   // of the last part
  std::array<iovec, memory::kernel_copy::parts_max> parts_;  // the first size_ are set
};

/// Calls move(there, here, bytes) for one pair of lists after the other; false when it says so.
template <class Rows, class Move>
bool move_in_parts(row_walker<Rows> there, row_walker<Rows> here, Move move) noexcept {
  kernel_parts theirs, ours;
  while (!there.done() && !here.done()) {
    theirs.clear();
    ours.clear();
    std::size_t bytes = 0;
    while (!there.done() && !here.done() && theirs.room() != 0 && ours.room() != 0) {
      row_piece piece = common_piece(there.now(), here.now(), SIZE_MAX);
      piece.count = std::min({piece.count, theirs.room(), ours.room()});
      theirs.add(part_of(there.now(), piece));
      ours.add(part_of(here.now(), piece));
      there.take(piece);
      here.take(piece);
      bytes += piece.total();
    }
    if (!move(theirs.list(), ours.list(), bytes)) return false;
  }
  return true;
}

}  // namespace atl
