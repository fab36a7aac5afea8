// SPDX-License-Identifier: BSD-3-Clause
//
// A thread that serves the other ranks while the program computes: for fronts whose standard
// promises that an access to this rank's memory does not wait for this rank. Where all ranks reach
// each other's memory directly nobody needs it, and a front starts none.
//
// The thread needs thread mode `any`, which is chosen before ranks know how they reach each other.
// So the front asks some_ranks_are_apart() first.
//
// Threads: one starts and stops it, before and after all other use of the runtime.
#pragma once

#include <atoll/base/settings.hpp>
#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/core/job/runtime.hpp>

#include <thread>

namespace atl {

/// Whether some ranks will reach others by messages only, as settings and launcher tell beforehand.
bool some_ranks_are_apart(const settings& configuration, const bootstrap::bootstrap& boot);

class serving_thread {
 public:
  explicit serving_thread(runtime& served) noexcept : served_(served) {}
  serving_thread(const serving_thread&) = delete;
  serving_thread& operator=(const serving_thread&) = delete;
  ~serving_thread() { stop(); }

  /// Starts it, unless this rank is alone, something else makes progress already, or the thread
  /// mode does not allow it. The program's signals are not delivered to it. Throws `atl::error`
  /// when there can be no thread.
  void start();

  /// Ends it; does nothing where none runs.
  void stop() noexcept;

 private:
  runtime& served_;
  std::jthread thread_;
};

}  // namespace atl
