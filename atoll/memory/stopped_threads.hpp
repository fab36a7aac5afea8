// SPDX-License-Identifier: BSD-3-Clause
//
// Holds all other threads of the process still for a moment, so that memory which they may write
// can be moved. Each of them gets a signal, whose handler waits until the object ends. Threads that
// block the signal for long go on: mostly helper threads of libraries, which do not touch the
// variables of the program. A program whose own threads block it must keep them from its variables.
//
// Only one at a time per process. Meanwhile the caller must not need a lock that another thread may
// hold: it allocates nothing and prints nothing.
#pragma once

#include <cstddef>

namespace atl::memory {

/// Lets the calling thread be held still although it blocks all signals: for threads of the library
/// that run functions of the program, which may write to the program's variables.
void accept_stops() noexcept;

class stopped_threads {
 public:
  stopped_threads() noexcept;
  stopped_threads(const stopped_threads&) = delete;
  stopped_threads& operator=(const stopped_threads&) = delete;
  ~stopped_threads();

  /// Whether all of them stand still; false when one did not answer in time, or they cannot be
  /// listed. Then all go on already.
  bool complete() const noexcept { return complete_; }

  std::size_t count() const noexcept { return count_; }

 private:
  bool stop_all() noexcept;
  bool wait_for_arrivals() noexcept;
  void forget_ended_threads() noexcept;
  void release() noexcept;

  std::size_t count_ = 0;
  bool complete_ = false;
};

}  // namespace atl::memory
