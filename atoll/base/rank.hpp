// SPDX-License-Identifier: BSD-3-Clause
//
// The number of a rank in its job: 0-based, below the job's size. A plain integer, because ranks
// index tables on the hottest paths and travel in message headers. (A Fortran *image* is 1-based;
// only the coarray front may add one.)
#pragma once

#include <cstdint>

namespace atl {

using rank_id = std::uint32_t;

/// No rank: for a message without a source, or memory without an owner.
inline constexpr rank_id no_rank = ~rank_id{0};

}  // namespace atl
