// SPDX-License-Identifier: BSD-3-Clause
//
// Checks non-contiguous puts and gets between two memories of which one or both are a device's:
// blocks, lists of runs and lists of addresses, in shapes that travel as copies of rows, as one
// copy of the whole range, and in several chunks. A model moves the bytes one by one; the bytes
// between the runs must not change. Threads: one.
#pragma once

#include <tests/multi/device/memory_of_kind.hpp>

/// Ends the job with a message when bytes are wrong.
void check_scattered(atl::runtime& job, memory_of_kind& local, memory_of_kind& remote,
                     atl::rank_id peer);
