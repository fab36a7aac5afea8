// SPDX-License-Identifier: BSD-3-Clause
//
// The attachments of a runtime that are busy, in two lists: `active_` belongs to the thread that
// advances (other threads pass by), `joining_` takes new ones at any moment, also from inside of
// advance(). An attachment that is no longer busy leaves when advance() next looks at it.
#pragma once

#include <atoll/core/progress/attachment.hpp>

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace atl {

class attachment_list {
 public:
  /// Lists an attachment that has just become busy; does nothing when it is listed already. Any
  /// thread.
  void activate(attachment& item) noexcept;

  /// Advances all; false at once when another thread does. True when something has ended, or
  /// another thread passed by meanwhile: then other threads of the rank must look again.
  bool advance() noexcept;

  /// Whether advance() has anything to do.
  bool has_work() const noexcept { return listed_.load(std::memory_order_relaxed) != 0; }

  /// An attachment begins or ends a wait for something that may ring no bell, such as room at a
  /// peer. While one does, no thread of this rank sleeps for long. Any thread.
  void begin_silent_wait() noexcept { silent_.fetch_add(1, std::memory_order_relaxed); }
  void end_silent_wait() noexcept { silent_.fetch_sub(1, std::memory_order_relaxed); }
  bool waits_silently() const noexcept { return silent_.load(std::memory_order_relaxed) != 0; }

  /// Removes an attachment that is about to be destroyed and is not busy. Must not be called from
  /// inside of advance(). True when another thread came to advance meanwhile and was turned away:
  /// wake it. Does nothing in a forked child, where nobody advances any more.
  bool retire(attachment& item) noexcept;

 private:
  bool keep(attachment& item) noexcept;

  pid_t owner_ = ::getpid();
  // Held by the thread that advances. No mutex: what is advanced may wait, and poll, and so come
  // here again on the same thread.
  std::atomic<bool> advancing_ = false;
  std::atomic<bool> passed_by_ = false;  // a thread came while another advanced
  std::vector<attachment*> active_;
  std::mutex joining_guard_;  // of joining_
  std::vector<attachment*> joining_;
  std::atomic<std::uint32_t> listed_ = 0;  // relaxed: a hint; the lists have locks
  std::atomic<std::uint32_t> silent_ = 0;  // relaxed: a hint for how long to sleep
};

}  // namespace atl
