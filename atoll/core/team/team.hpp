// SPDX-License-Identifier: BSD-3-Clause
//
// A team: an ordered set of ranks that act together. Members are numbered from 0; a team that is a
// contiguous or strided part of the job costs the same few words however large it is. The team of
// all ranks is made by the runtime; others are made collectively by coll/team_creation.hpp.
//
// A team has two split-phase barriers: any number of plain ones may be under way (they complete in
// order), and one with a name.
//
// Threads: collective calls in the same order on every member, by one thread at a time.
#pragma once

#include <atoll/core/progress/attachment.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/core/team/barrier.hpp>
#include <atoll/core/team/rank_set.hpp>
#include <atoll/core/team/team_block.hpp>
#include <atoll/core/team/team_hosts.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

namespace atl {

class runtime;

/// Asks whether a wait is to end early.
struct wait_end {
  bool (*is_wanted)(void* context) noexcept;
  void* context;
};

/// The options on which the members agree before a team is made.
struct team_options {
  std::uint64_t id = 0;  // unique in the job; below 2^62
  rank_set members;      // by job rank; the calling rank is one of them
};

class team final : private attachment {
 public:
  /// Throws `atl::error` when the calling rank is not one of the members.
  team(runtime& owner, team_options options);
  /// No collective of the team may be under way.
  ~team() override;

  runtime& owner() const noexcept { return owner_; }
  std::uint64_t id() const noexcept { return id_; }
  rank_id rank() const noexcept { return rank_; }
  rank_id size() const noexcept { return members_.size(); }
  const rank_set& members() const noexcept { return members_; }
  const team_hosts& hosts() const noexcept { return hosts_; }

  /// The job's rank of a member, and the member that a job's rank is (no_rank: none).
  rank_id job_rank(rank_id member) const noexcept { return members_[member]; }
  rank_id member(rank_id job_rank) const noexcept { return members_.find(job_rank); }

  /// The block that the members on this host share; null when there is no memory for it.
  team_block* host_block() const noexcept { return block_; }

  /// Gives the team its block and its barriers; before the first collective, by every member, with
  /// the leader's block (null on all members of all hosts when one leader had no memory).
  void open(team_block* block);

  /// Waits until all members have come. All that members did before is visible to all of them
  /// after. When a member is lost the status is peer_lost, and some members may not have come; from
  /// then on every barrier of the team ends so.
  operation_status barrier();

  /// The same, but returns nothing as soon as `end` is wanted while members are missing. The
  /// barrier is then still under way, as one that was started and whose event was dropped.
  std::optional<operation_status> barrier_unless(wait_end end);

  /// Starts a plain barrier; complete when all members have started theirs.
  event start_barrier();

  /// This member wants barriers by dissemination of this radix, where they send messages; nothing
  /// where a setting names one. A barrier has the largest that any member wanted when it began the
  /// one before, so all have the same. Any thread, at any time.
  void use_barrier_radix(unsigned radix) noexcept;

  /// Whether a member is lost (runtime::on_peer_lost).
  bool has_lost_member() const noexcept;

  /// The named barrier, in two phases: start, then test until true; the result is the tags of
  /// all members combined, or a mismatch when a member is lost.
  void arrive_named(barrier_tag tag) noexcept;
  bool test_named() noexcept;  // by the thread that started it
  barrier_tag named_result() const noexcept {
    return named_broken_ ? barrier_tag::mismatch() : named_->result();
  }

 private:
  bool advance() noexcept override;
  bool busy() const noexcept override {
    // Pairs with the releases that end a barrier: when this is false its last step has ended.
    return under_way_.load(std::memory_order_acquire) != 0;
  }
  operation* begin_plain(bool has_arrived);
  bool step() noexcept;
  bool step_named() noexcept;

  runtime& owner_;
  std::uint64_t id_;
  rank_set members_;
  rank_id rank_;
  team_hosts hosts_;
  team_block* block_ = nullptr;
  std::unique_ptr<atl::barrier> plain_;
  std::unique_ptr<atl::barrier> named_;
  std::mutex guard_;             // of all that follows, and of the barriers while under way
  bool named_open_ = false;      // the named barrier is under way
  bool named_broken_ = false;    // by the loss of a member
  operation* oldest_ = nullptr;  // queue of barriers under way, linked by next
  operation* newest_ = nullptr;
  std::atomic<std::uint32_t> under_way_ = 0;  // length of the queue, and the named one
  // How many lost ranks were looked at, and whether one of them is a member.
  mutable std::atomic<std::size_t> losses_seen_ = 0;
  mutable std::atomic<bool> lost_member_ = false;
};

}  // namespace atl
