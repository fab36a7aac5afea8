// SPDX-License-Identifier: BSD-3-Clause
//
// The loops that move non-contiguous bytes between memory that this process sees: one row, a whole
// planned block, a list of equal runs. Elements of the sizes that programs have are moved in
// registers by loops of their own; longer runs are copied, past the cache when the whole is large;
// and where one side walks along what the other walks across (a transpose), the block is done in
// small tiles, so that every line is read and written whole. No temporary.
#pragma once

#include <atoll/core/strided/rows.hpp>
#include <atoll/core/strided/scattered.hpp>
#include <atoll/core/strided/strided_plan.hpp>

#include <cstddef>
#include <cstdint>

namespace atl {

/// Copies between two rows of the same counts and bytes.
void copy_row(const run_row& to, const run_row& from) noexcept;

/// Copies the block; the shifts are added to the addresses of each side.
void copy_block(const strided_plan& plan, std::uintptr_t to_shift,
                std::uintptr_t from_shift) noexcept;

/// Copies run by run between lists of as many addresses and the same bytes.
void copy_listed(address_list to, std::uintptr_t to_shift, address_list from,
                 std::uintptr_t from_shift) noexcept;

/// Copies what is left of one walker's stream to the other's, which has equally many bytes left.
template <class To, class From>
void copy_streams(row_walker<To> to, row_walker<From> from) noexcept {
  while (!to.done() && !from.done()) {
    const row_piece piece = common_piece(to.now(), from.now(), SIZE_MAX);
    copy_row(part_of(to.now(), piece), part_of(from.now(), piece));
    to.take(piece);
    from.take(piece);
  }
}

}  // namespace atl
