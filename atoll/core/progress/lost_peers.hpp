// SPDX-License-Identifier: BSD-3-Clause
//
// The ranks that this rank has lost: a transport says that nothing reaches them, or the launcher
// that their processes have failed. The default reaction ends the job. A program (or a front whose
// standard can report it) that watches for losses is told of each instead, by a handler, and goes
// on with the ranks that are left.
//
// A loss is noted at any moment, also by a transport under its lock, and from then on is_lost()
// says so. Progress settles it: transports give up what waits for the rank, every operation under
// way there ends with peer_lost, and then the handlers are called, outside of message handlers, so
// they may make progress themselves.
//
// Threads: any. Nothing is kept per rank until one is lost.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/core/progress/attachment.hpp>
#include <atoll/core/progress/attachment_list.hpp>
#include <atoll/core/progress/event.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace atl {

class lost_peers final : public attachment {
 public:
  struct parts {
    bootstrap::bootstrap& boot;           // asked which ranks have failed
    attachment_list& attachments;         // where it settles losses
    std::function<void(rank_id)> forget;  // ends all that is under way at a rank
  };

  explicit lost_peers(parts made_of) : parts_(std::move(made_of)) {}
  ~lost_peers() override;

  /// From now on this handler, too, is called for each loss, also for those that there are.
  void watch(peer_lost_handler handler);
  bool is_watched() const noexcept { return watched_.load(std::memory_order_acquire); }

  /// Whether the launcher lets the other ranks go on when one fails.
  bool is_outlived() const noexcept { return outlived_.load(std::memory_order_relaxed); }

  /// Notes that a rank is lost. False when no handler watches: then the caller ends the job.
  bool note(rank_id peer, std::string_view cause) noexcept;

  /// The number of ranks that are lost, and whether this is one of them.
  std::size_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  bool is_lost(rank_id peer) const noexcept { return count() != 0 && find(peer); }
  /// Whether is_one(rank) is true of any lost rank.
  template <class Predicate>
  bool any(Predicate is_one) const noexcept {
    const std::lock_guard hold(guard_);
    for (const loss& each : losses_) {
      if (is_one(each.peer)) return true;
    }
    return false;
  }

  /// Looks at what the launcher knows, and settles the losses that are new; true when there were
  /// any. For waits that do not advance attachments; also in handlers.
  bool settle() noexcept;

  /// Calls the handlers for losses that have been settled; not in a handler. True when there were
  /// any.
  bool tell() noexcept;

  bool advance() noexcept override { return settle(); }
  bool busy() const noexcept override { return is_watched(); }

 private:
  struct loss {
    rank_id peer;
    std::string cause;
  };
  struct watcher {
    peer_lost_handler handler;
    std::size_t told = 0;  // losses
  };

  void look() noexcept;
  bool find(rank_id peer) const noexcept;

  parts parts_;
  std::atomic<bool> watched_ = false;
  std::atomic<bool> outlived_ = false;
  std::atomic<std::size_t> count_ = 0;      // of losses_; release, so that is_lost() finds them
  std::atomic<rank_id> failures_seen_ = 0;  // of those that the launcher counts
  mutable std::mutex guard_;                // of what follows
  std::vector<loss> losses_;                // in the order in which they were noted
  std::vector<watcher> watchers_;
  std::size_t settled_ = 0;
  bool settling_ = false;
};

}  // namespace atl
