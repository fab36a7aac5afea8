// SPDX-License-Identifier: BSD-3-Clause
//
// The ways in which a call can be done: each algorithm that can be used for it, with the radixes
// that make a difference. `atoll tune` measures them in trials of its own, and the search of
// ATOLL_TUNE=online in calls of the program. Alike on all members. Threads: any.
#pragma once

#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/tuned/table.hpp>

#include <string>
#include <vector>

namespace atl::coll {

/// The candidates for a call whose arguments, team, size and `one_host` are set. The first is
/// `first`, its radix brought down to the largest that makes a difference.
std::vector<choice> candidates_of(const call& call, const choice& first);

/// A choice with one parameter more, where that makes a difference for the call: pieces half and
/// four times as large as usual, half and four times as many under way, an eager limit on the other
/// side of its messages, two or four leaders per host, receivers that get large messages.
std::vector<choice> variants_of(const choice& base, const call& call);

/// The parameters that may change a call by `base`, which is given without any: "piece", "depth",
/// "eager", "leaders", "by". Any value of another one gives the same call; that of a depth or of
/// the mover as long as no eager limit is given beside it.
std::vector<std::string> parameters_that_count(const choice& base, const call& call);

/// The one of these that makes most messages wait for their receiver where they usually leave at
/// once, or the reverse; none where that makes no difference. It may be fast where the base is
/// slow.
std::vector<choice> other_protocols_of(const choice& base, const call& call);

/// Algorithm and parameters of a choice as those of a rule, without conditions; and back.
tuned_rule rule_of(const choice& made);
choice choice_of(const tuned_rule& rule, const algorithm& use);

/// An algorithm with its parameters, as settings write it: "tree:4", "tree:4/32768" with pieces of
/// 32 KiB.
std::string name_of(const choice& made);

}  // namespace atl::coll
