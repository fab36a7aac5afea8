// SPDX-License-Identifier: BSD-3-Clause
//
// Where ranks may run. Only processors that this process may use are given away, so a launcher
// inside a container or under taskset stays within its share.
#pragma once

#include <atoll/base/rank.hpp>

#include <sched.h>

#include <string>
#include <vector>

namespace atl::tools {

/// How many processors this process may use, at least 1.
rank_id available_processors();

/// The places that ranks take in turn for --bind: none (empty), core, numa, or a list "0,2,4-7".
/// Throws `launch_refusal` for anything else, or for a processor that may not be used.
std::vector<cpu_set_t> places_for(const std::string& bind);

}  // namespace atl::tools
