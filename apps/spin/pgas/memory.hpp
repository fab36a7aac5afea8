// SPDX-License-Identifier: BSD-3-Clause
//
// Whether the memory for all ranks is there, asked before any of them allocates.
#pragma once

#include <apps/spin/options.hpp>
#include <atoll/core/job/runtime.hpp>

namespace spin {

/// Ends the job when it is not. Collective.
void check_memory(atl::runtime& job, const division& plan);

}  // namespace spin
