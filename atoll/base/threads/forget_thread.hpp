// SPDX-License-Identifier: BSD-3-Clause
//
// Lets a forked child forget the handles of its parent's threads. The child has the objects but not
// the threads. Joining or detaching one acts on a thread that does not exist, which is undefined (a
// thread sanitizer stops there), and destroying a joinable handle ends the process. So the handle
// moves to a place where nothing ever destroys it.
#pragma once

#include <utility>
#include <vector>

namespace atl {

/// Keeps the handle of a thread that only the parent of this process has; `thread` is left without
/// one. For a forked child alone: elsewhere the thread could never be joined again.
template <class Thread>
void forget_thread(Thread& thread) {
  static auto* const kept = new std::vector<Thread>;  // reachable, so no leak
  kept->push_back(std::move(thread));
}

}  // namespace atl
