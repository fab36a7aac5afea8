// SPDX-License-Identifier: BSD-3-Clause
//
// One core per rank. A rank that the scheduler moves in the middle of a measurement measures the
// move. Call it after the runtime or MPI has started: they count the cores they may use, and a
// process that is already pinned looks like a machine of one core.
#pragma once

namespace bench {

/// Pins the calling process to the rank-th core that it may use, when there are at least `ranks` of
/// them; otherwise does nothing. Returns whether it did.
bool pin(unsigned rank, unsigned ranks) noexcept;

}  // namespace bench
