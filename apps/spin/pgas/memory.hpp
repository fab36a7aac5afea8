// SPDX-License-Identifier: BSD-3-Clause
//
// Checks that there is memory for all ranks, before any of them allocates.
#pragma once

#include <apps/spin/options.hpp>
#include <atoll/core/job/runtime.hpp>

namespace spin {

/// Ends the job when there is not enough memory. Collective.
void check_memory(atl::runtime& job, const division& plan);

}  // namespace spin
