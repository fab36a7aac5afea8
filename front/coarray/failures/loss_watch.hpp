// SPDX-License-Identifier: BSD-3-Clause
//
// A thread that closes the routes to the memory of images that have failed. The program notices a
// failure in calls of the library; but a loop that reads x[p] until it changes makes none, because
// the access is a load that the compiler has put into the program. Once the route is closed such a
// loop calls the library, and the library reports the failure.
//
// Threads: the thread reads a word that the launcher writes, ten times a second, and writes rows of
// routes, which allow that. It runs only where images go on without a failed one and share memory
// with others.
#pragma once

namespace atl::coarray {

struct process_state;

/// Starts the thread, once.
void start_loss_watch(process_state& us) noexcept;

/// Ends it, before the runtime ends.
void end_loss_watch() noexcept;

}  // namespace atl::coarray
