// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous transfers for the library's own layers: in a segment, for fronts that have no
// endpoint, and counted in a record of the caller's. Not installed.
#pragma once

#include <atoll/core/strided/strided.hpp>

namespace atl {

/// Starts a put or a get in `memory`. `record` counts the pieces that are not complete on return.
template <scattered Transfer>
void start_put(segment& memory, rank_id target, const Transfer& transfer,
               operation& record) noexcept;
template <scattered Transfer>
void start_get(segment& memory, rank_id source, const Transfer& transfer,
               operation& record) noexcept;

}  // namespace atl
