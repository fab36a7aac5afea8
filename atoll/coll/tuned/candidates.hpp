// SPDX-License-Identifier: BSD-3-Clause
//
// The ways in which a call can be done: each algorithm that can be used for it, with the radixes
// that make a difference. `atoll tune` measures them in trials of its own, and the search of
// ATOLL_TUNE=online in calls of the program. Alike on all members. Threads: any.
#pragma once

#include <atoll/coll/engine/engine.hpp>

#include <string>
#include <vector>

namespace atl::coll {

/// The candidates for a call whose arguments, team, size and `one_host` are set. The first is
/// `first`, its radix brought down to the largest that makes a difference.
std::vector<choice> candidates_of(const call& call, const choice& first);

/// Adds algorithms that cut data, of their usual radix, with pieces half and four times as large as
/// usual, where the data are larger than the smaller of the two.
void add_pieces(std::vector<choice>& candidates, const call& call);

/// An algorithm with its radix, as settings write it: "tree:4", "tree:4/32768" with pieces of 32
/// KiB.
std::string name_of(const choice& made);

}  // namespace atl::coll
