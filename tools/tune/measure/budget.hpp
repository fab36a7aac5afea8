// SPDX-License-Identifier: BSD-3-Clause
//
// The candidates that fit into the time for one point. Where the rounds that a record needs would
// take longer, fewer candidates are measured: a record of the fastest ones is worth more than none.
#pragma once

#include <cstddef>
#include <span>

namespace atl::tune {

/// How many candidates, from the first on, take `rounds` rounds within `seconds`, given what each
/// takes for a round; at least `least` of them, or all there are.
std::size_t candidates_within(std::span<const double> round_ns, unsigned rounds, double seconds,
                              std::size_t least);

}  // namespace atl::tune
