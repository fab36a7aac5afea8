// SPDX-License-Identifier: BSD-3-Clause
//
// The two things that the program does, each collective over the world: to compare the ways with
// generated keys, and to count words. Both time what they do, verify it on all ranks, and have rank
// 0 print. They return whether all was right, the same on all ranks.
#pragma once

#include <apps/kv/options.hpp>

namespace kv {

bool compare_ways(const options& chosen);
bool count_words(const options& chosen);

}  // namespace kv
