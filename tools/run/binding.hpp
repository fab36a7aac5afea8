// SPDX-License-Identifier: BSD-3-Clause
//
// The processors on which ranks run. Ranks get only processors that this process may use, so a
// launcher inside a container or under taskset stays within its share.
#pragma once

#include <sched.h>

#include <string>
#include <vector>

namespace atl::tools {

/// The places that ranks take in turn for --bind: none (empty), core, numa, or a list "0,2,4-7".
/// Throws `launch_refusal` for anything else, or for a processor that may not be used.
std::vector<cpu_set_t> places_for(const std::string& bind);

}  // namespace atl::tools
