// SPDX-License-Identifier: BSD-3-Clause
//
// The launcher's knowledge of its ranks, as a state machine without sockets or processes: which
// ranks have joined the job, which rank waits for which, and whether a wait can still end. The
// listener reports the messages of the ranks to it, the supervisor the ends of their processes.
//
// A rank joins, takes part in collectives (exchange, fence) in the same order as all others, and
// leaves; then it may join again: the next round, with new host memory. At most one collective
// is open at a time, because no rank passes it before all have entered. A collective that a rank
// can no longer enter is not waited for: stuck() says which rank waits for which.
//
// A stop is a collective of its own kind: a rank that has entered it enters no other one any more,
// and it is complete when all ranks that have not left have entered it.
//
// In a job that goes on after failures, collectives do without the ranks that have failed. There
// the ranks end one by one as they learn of a failure, some in a fence and others in a stop; both
// are complete when every rank that is left is in one of them.
#pragma once

#include <atoll/bootstrap/wire.hpp>

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::tools {

class rendezvous {
 public:
  explicit rendezvous(rank_id size);

  enum class membership : std::uint8_t { outside, inside, left };
  enum class collective : std::uint8_t { none, exchange, fence, stop };

  /// The state of one rank.
  struct record {
    membership state = membership::outside;
    collective waits_in = collective::none;
    std::uint32_t rounds = 0;       // how often it has joined
    std::uint64_t collectives = 0;  // how many it has passed, over all rounds
    bool process_ended = false;
    bool has_stopped = false;  // in this round
    bool has_failed = false;   // in a job that goes on without it
    pid_t pid = 0;  // the process that joined, which may be a child of the rank's process
    bootstrap::wire::bytes blob;
  };

  using refusal = bootstrap::wire::refused;

  /// A process asks to be this rank. Returns the reason when it cannot.
  std::optional<refusal> join(rank_id rank, std::string_view version, pid_t pid);

  /// Enters a collective. False when the rank is not inside or waits in one already.
  bool enter(rank_id rank, collective which, bootstrap::wire::bytes blob);

  void leave(rank_id rank);
  /// The rank has failed, and the job goes on without it.
  void fail(rank_id rank);
  void process_ended(rank_id rank);

  /// The collective that all ranks have entered, if any; then pass() lets them go on.
  collective complete() const;
  std::vector<bootstrap::wire::bytes> pass();

  /// Why the open collective can never complete; nothing while it still can.
  std::optional<std::string> stuck() const;

  /// The version that the first rank to join has shown; empty before.
  const std::string& version() const { return version_; }

  const record& state_of(rank_id rank) const { return members_[rank]; }
  rank_id size() const { return static_cast<rank_id>(members_.size()); }

  /// The state of a rank, in words: "has not joined", "waits in a fence" ...
  std::string describe(rank_id rank) const;

 private:
  bool cannot_enter(const record& other, const record& waiting) const;
  collective complete_without_failed() const;

  std::vector<record> members_;
  std::string version_;  // of the first rank that joined
  rank_id version_rank_ = 0;
  rank_id waiting_ = 0;
  rank_id stopping_ = 0;  // members that wait in a stop, and are not counted above
  rank_id departed_ = 0;  // members that a stop does not wait for
  rank_id failed_ = 0;    // members that no collective waits for
  rank_id gone_ = 0;  // members that have left or whose process has ended, counted twice if both
};

std::string_view name_of(rendezvous::collective which) noexcept;

}  // namespace atl::tools
