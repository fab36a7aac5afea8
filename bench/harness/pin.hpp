// SPDX-License-Identifier: BSD-3-Clause
//
// Pins each rank to one core, because a time would include a move by the scheduler. Call it after
// the runtime or MPI has started: they count the cores that they may use, and to a process that is
// already pinned the machine has one core.
#pragma once

namespace bench {

/// Pins the calling process to the rank-th core that it may use, when there are at least `ranks` of
/// them; otherwise does nothing. Returns whether it did.
bool pin(unsigned rank, unsigned ranks) noexcept;

}  // namespace bench
