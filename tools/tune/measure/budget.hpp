// SPDX-License-Identifier: BSD-3-Clause
//
// The candidates that fit into the time for one point. Where the rounds that a record needs would
// take longer, fewer candidates are measured: a record of the fastest ones is worth more than none.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace atl::tune {

/// How many candidates, from the first on, take `rounds` rounds within `seconds`, given what each
/// takes for a round; at least `least` of them, or all there are.
std::size_t candidates_within(std::span<const double> round_ns, unsigned rounds, double seconds,
                              std::size_t least);

/// The order in which so many candidates are measured in a round, the same on all ranks. No
/// candidate always follows the same other one, which may leave it the caches full of its data.
std::vector<std::size_t> order_of_round(std::size_t count, unsigned round);

}  // namespace atl::tune
