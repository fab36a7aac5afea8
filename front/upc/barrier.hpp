// SPDX-License-Identifier: BSD-3-Clause
//
// The barrier for other chapters of the library: the one at the end of the program, at which a
// thread comes with its exit code.
#pragma once

namespace atl::upc {

/// Waits until all threads have ended. Ends the job when another one is at a barrier of the program
/// instead: it would wait there for ever.
void barrier_at_end(int exit_code) noexcept;

}  // namespace atl::upc
