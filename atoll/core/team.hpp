// SPDX-License-Identifier: BSD-3-Clause
//
// A team: an ordered set of ranks that synchronize together. This one is the team of all ranks; its
// rank numbers are the job's. It has two split-phase barriers: any number of plain ones may be
// under way (they complete in order), and one with a name.
//
// Threads: collective calls in the same order on every rank, by one thread at a time.
#pragma once

#include <atoll/core/barrier.hpp>
#include <atoll/core/event.hpp>

#include <atomic>
#include <memory>
#include <mutex>

namespace atl {

class runtime;

class team {
 public:
  explicit team(runtime& owner);
  team(const team&) = delete;
  team& operator=(const team&) = delete;
  ~team();

  runtime& owner() const noexcept { return owner_; }
  rank_id rank() const noexcept { return rank_; }
  rank_id size() const noexcept { return size_; }
  /// The job's rank of a team rank.
  rank_id job_rank(rank_id member) const noexcept { return member; }

  /// Waits until all ranks are here. What each did before is visible to all after.
  void barrier();

  /// Starts a plain barrier; complete when all ranks have started theirs.
  event start_barrier();

  /// The named barrier, in two phases: start, then test until true; the result is the tags of
  /// all ranks combined.
  void arrive_named(barrier_tag tag) noexcept;
  bool test_named() noexcept;  // by the thread that started it
  barrier_tag named_result() const noexcept { return named_->result(); }

  /// Moves barriers under way forward; called by progress. True when one came to its end.
  bool advance() noexcept;
  bool busy() const noexcept {
    // Pairs with the releases that end a barrier: what its last step did is over when this is
    // false.
    return under_way_.load(std::memory_order_acquire) != 0;
  }

 private:
  bool step() noexcept;
  bool step_named() noexcept;

  runtime& owner_;
  rank_id rank_;
  rank_id size_;
  std::unique_ptr<atl::barrier> plain_;
  std::unique_ptr<atl::barrier> named_;
  std::mutex guard_;             // of all that follows, and of the barriers while under way
  bool named_open_ = false;      // the named barrier is under way
  operation* oldest_ = nullptr;  // queue of barriers under way, linked by next_free
  operation* newest_ = nullptr;
  std::atomic<std::uint32_t> under_way_ = 0;  // length of the queue, and the named one
};

}  // namespace atl
