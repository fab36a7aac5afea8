// SPDX-License-Identifier: BSD-3-Clause
//
// Tells when the program gives memory back to the system, or puts other memory in its place. A
// cache of something that holds for the pages behind an address (a registration with a network,
// above all) must know: the next allocation may get the same address with other pages.
//
// How: it uses userfaultfd, only for its events. Mappings are registered in write-protect mode and
// nothing is ever protected, so no access faults; but munmap, mremap, madvise (DONTNEED, FREE), a
// shrinking brk, and a mapping on top of another make the kernel queue an event and hold the
// calling thread until the event has been read. A thread of this class reads the events and tells
// the listener.
//
// Two gaps remain, and settled() closes both. First, memory is gone *before* its event is read, and
// another thread may be given the same addresses meanwhile. The kernel counts such changes, and
// refuses requests to the descriptor while there are any, so a request without effect shows whether
// there are. Second, an event may have been read but not yet told to the listener: a sequence that
// is odd meanwhile shows that.
//
// The reading thread allocates nothing, takes no lock and gives no memory back, because a thread
// that gives memory back waits for it, whatever locks that thread holds. The listener must keep to
// the same rules.
//
// Whole mappings are watched: watching a part would split them, and mremap of both parts in one
// call would fail. Only plain memory (private, without a file) is watched: the pages of any other
// memory can be exchanged by another process or through a descriptor, and we are not told. Guard
// pages made by madvise (Linux 6.13) and shmat with SHM_REMAP are not told either. Kernels before
// 5.19 are refused; there a fork may exchange pages that a device writes to.
#pragma once

#include <atoll/base/system/descriptor.hpp>
#include <atoll/memory/mappings.hpp>

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

namespace atl::memory {

class reclaim_watch {
 public:
  class listener {
   public:
    /// These pages are gone, or go after this call. On the reading thread: see above.
    virtual void reclaimed(const address_range& gone) noexcept = 0;

   protected:
    ~listener() = default;
  };

  /// Starts to read. Where the system does not allow that, refusal() tells why.
  explicit reclaim_watch(listener& to);
  reclaim_watch(const reclaim_watch&) = delete;
  reclaim_watch& operator=(const reclaim_watch&) = delete;
  ~reclaim_watch();

  /// The reason why there is no watch; empty when there is one.
  const std::string& refusal() const noexcept { return refusal_; }

  /// Watches the mappings that hold `range` from now on; false where that cannot be. Any thread.
  bool watch(const address_range& range) noexcept;

  /// Whether the listener has heard of all memory that was given back before this call. Waits
  /// briefly for that. Any thread.
  bool settled() noexcept;

 private:
  bool open();
  bool start();
  void run() noexcept;
  bool read_events() noexcept;
  bool changes_unread() const noexcept;
  bool watch_mapping(const address_range& range) noexcept;
  void forget_all() noexcept;

  listener& to_;
  std::string refusal_;
  descriptor events_;
  descriptor ending_;
  pid_t owner_;  // a process that was forked off has neither the thread nor these mappings
  std::atomic<std::uint32_t> sequence_ = 0;  // odd while events are told
  std::thread reader_;
};

}  // namespace atl::memory
