// SPDX-License-Identifier: BSD-3-Clause
//
// The most frequent sections: one dimension on both sides, or two with few elements of one type,
// such as the border of a field, in a coarray that loads and stores reach as a whole. They are
// copied without the sections that represent every other shape, because making those takes longer
// than copying a hundred elements. Each index of a vector subscript is checked right before it is
// used.
#pragma once

#include <front/coarray/access/transfer.hpp>
#include <front/coarray/process_state.hpp>

namespace atl::coarray {

enum class row_access { read, write };

/// False where the sides are not such sections, or are in error; the caller then takes the general
/// way, which reports errors. Elements that were copied before that are copied again.
bool transfer_row(process_state& us, rank_id rank, const coindexed& remote, const local_side& local,
                  row_access access) noexcept;

}  // namespace atl::coarray
