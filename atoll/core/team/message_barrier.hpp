// SPDX-License-Identifier: BSD-3-Clause
//
// The barrier over active messages: dissemination. In round k a rank tells the rank 2^k further on
// (modulo the number of ranks) that it and, by induction, the 2^k - 1 ranks before it have arrived;
// after ceil(log2(n)) rounds every rank knows that all have arrived. Each message carries the tags
// combined so far. Works for any number of ranks on any transport.
//
// Messages of the next epoch can arrive before this one is left, and those of later epochs cannot;
// so there are two sets of slots, by the parity of the epoch. A handler writes a slot (any polling
// thread, release) and the owner's test reads it (acquire). Handlers find the barrier in a table of
// the runtime, by the team's id and the use; a message that arrives before the barrier is made here
// waits there (core/team/barrier_table.hpp).
#pragma once

#include <atoll/core/team/barrier.hpp>
#include <atoll/core/team/rank_set.hpp>

#include <array>
#include <atomic>
#include <vector>

namespace atl {

class endpoint;
class runtime;
class barrier_table;

class message_barrier final : public barrier {
 public:
  /// A barrier among these job ranks, of which this one is `self`. They all give the same key.
  message_barrier(runtime& owner, std::uint64_t key, rank_set ranks, rank_id self);
  ~message_barrier() override;

  void arrive(barrier_tag tag) noexcept override;
  bool test() noexcept override;
  barrier_tag result() const noexcept override { return gathered_; }

  /// A message of another rank has come: its epoch's parity, round, and tags.
  void receive(std::uint32_t epoch, std::uint32_t round, std::uint64_t tag) noexcept;

 private:
  struct slot {
    std::atomic<bool> arrived = false;
    std::atomic<std::uint64_t> tag = 0;
  };

  void send() noexcept;
  slot& slot_of(std::uint32_t epoch, std::uint32_t round) noexcept {
    return slots_[epoch % 2 * rounds_ + round];
  }

  endpoint& system_;
  barrier_table& table_;
  std::uint64_t key_;
  rank_set ranks_;
  rank_id self_;
  unsigned rounds_;
  std::uint32_t epoch_ = 0;
  unsigned round_ = 0;
  bool sent_ = false;  // this round's message is out
  barrier_tag gathered_ = barrier_tag::anonymous();
  std::vector<slot> slots_;
};

}  // namespace atl
