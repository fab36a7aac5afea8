// SPDX-License-Identifier: BSD-3-Clause
//
// The two modes of the program, each collective over the world: comparing the ways with generated
// keys, and counting words. Both measure their time, verify results on all ranks, and print on rank
// 0. They return whether all was right, the same on all ranks.
#pragma once

#include <apps/kv/options.hpp>

namespace kv {

bool compare_ways(const options& chosen);
bool count_words(const options& chosen);

}  // namespace kv
