// SPDX-License-Identifier: BSD-3-Clause
//
// Notes losses, settles them and tells of them. Losses are noted in a list and never leave it. An
// index says up to which of them losses have been settled, and one for each handler up to which it
// was told of them, so each is settled once and told once to each handler, in order. The lock is
// not held while a loss is settled, since that enters transports, nor while handlers run.
#include <atoll/core/progress/lost_peers.hpp>

#include <atoll/base/log.hpp>

#include <algorithm>
#include <utility>

namespace atl {

lost_peers::~lost_peers() { parts_.attachments.retire(*this); }

void lost_peers::watch(peer_lost_handler handler) {
  {
    const std::lock_guard hold(guard_);
    watchers_.push_back({handler});
  }
  if (watched_.exchange(true, std::memory_order_acq_rel)) return;  // pairs with is_watched()
  outlived_.store(parts_.boot.outlive_failures(), std::memory_order_relaxed);
  parts_.attachments.activate(*this);
}

bool lost_peers::find(rank_id peer) const noexcept {
  const std::lock_guard hold(guard_);
  return std::ranges::find(losses_, peer, &loss::peer) != losses_.end();
}

bool lost_peers::note(rank_id peer, std::string_view cause) noexcept {
  if (!is_watched()) return false;
  const std::lock_guard hold(guard_);
  if (std::ranges::find(losses_, peer, &loss::peer) != losses_.end()) return true;
  losses_.push_back({peer, std::string(cause)});
  count_.store(losses_.size(), std::memory_order_release);  // pairs with count()
  log_info("rank ", peer, " is lost: ", cause);
  return true;
}

// The launcher gives only a count of failures; to learn which ranks they are, each is asked about.
void lost_peers::look() noexcept {
  const rank_id failures = parts_.boot.failed_count();
  if (failures == failures_seen_.load(std::memory_order_relaxed)) return;
  for (rank_id rank = 0; rank < parts_.boot.size(); ++rank) {
    if (parts_.boot.has_failed(rank)) note(rank, "its process has failed");
  }
  failures_seen_.store(failures, std::memory_order_relaxed);
}

bool lost_peers::settle() noexcept {
  if (!is_watched()) return false;
  look();
  if (count() == 0) return false;
  std::unique_lock hold(guard_);
  if (settling_ || settled_ == losses_.size()) return false;
  settling_ = true;
  while (settled_ < losses_.size()) {
    const rank_id peer = losses_[settled_].peer;
    hold.unlock();
    parts_.forget(peer);
    hold.lock();
    ++settled_;
  }
  settling_ = false;
  return true;
}

bool lost_peers::tell() noexcept {
  if (count() == 0) return false;
  bool has_told = false;
  std::unique_lock hold(guard_);
  for (std::size_t i = 0; i < watchers_.size(); ++i) {  // a handler may make progress, and watch
    while (watchers_[i].told < settled_) {
      const loss next = losses_[watchers_[i].told++];
      const peer_lost_handler handler = watchers_[i].handler;
      hold.unlock();
      handler.run(handler.context, next.peer, next.cause);
      hold.lock();
      has_told = true;
    }
  }
  return has_told;
}

}  // namespace atl
