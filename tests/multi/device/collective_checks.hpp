// SPDX-License-Identifier: BSD-3-Clause
//
// Checks collectives whose buffers are memory of devices: broadcast, all-reduce, all-gather and
// all-to-all of sizes around those of the staging memory, also in place, and with a member that
// uses host memory. Threads: one.
#pragma once

#include <tests/multi/device/memory_of_kind.hpp>

/// Ends the job with a message when bytes are wrong, or when a call that only moves data did not go
/// directly though it should have. Every rank calls it with its own memory.
void check_collectives(atl::runtime& job, memory_of_kind& memory, bool go_directly);
