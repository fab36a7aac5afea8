// SPDX-License-Identifier: BSD-3-Clause
//
// The barrier over active messages: dissemination. Before the round of weight w a rank knows that
// it and the w - 1 ranks before it (modulo the number of ranks) have arrived. With radix r it tells
// that to the ranks w, 2 w, ... (r - 1) w further on, and after ceil(log_r(n)) rounds every rank
// knows that all have arrived. A larger radix means fewer rounds, and more messages in each. Each
// message carries the tags combined so far. Works for any number of ranks on any transport.
//
// A message also carries the largest radix that its sender knows to be wanted. At the end of an
// epoch all ranks know the same one, and the next epoch has it; so each rank may want it at any
// time, whatever the others do.
//
// Messages of the next epoch can arrive before this one is left, and those of later epochs cannot;
// so there are two sets of slots, by the parity of the epoch, each with a slot per message of any
// radix. A handler writes a slot (any polling thread, release) and the owner's test reads it
// (acquire). Handlers find the barrier in a table of the runtime, by the team's id and the use; a
// message that arrives before the barrier is made here waits there (core/team/barrier_table.hpp).
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
  void use_radix(unsigned radix) noexcept override;

  /// A message of another rank has come: its epoch, its number among those of the epoch, and tags
  /// with the radix that is wanted.
  void receive(std::uint32_t epoch, std::uint32_t number, std::uint64_t tag) noexcept;

 private:
  struct slot {
    std::atomic<bool> arrived = false;
    std::atomic<std::uint64_t> tag = 0;
  };

  bool send_round() noexcept;
  bool send(std::uint64_t distance, std::uint32_t number) noexcept;
  bool receive_round() noexcept;
  void begin_round() noexcept;
  slot& slot_of(std::uint32_t epoch, std::uint32_t number) noexcept {
    return slots_[epoch % 2 * slots_.size() / 2 + number];
  }

  endpoint& system_;
  barrier_table& table_;
  std::uint64_t key_;
  rank_set ranks_;
  rank_id self_;
  unsigned radix_;
  std::atomic<unsigned> wanted_ = 0;  // by this rank from its next arrival on; 0: as it is
  unsigned next_radix_ = 0;           // wanted by any rank that is known to have arrived; 0: none
  std::uint32_t epoch_ = 0;
  std::uint64_t weight_ = 0;    // of this round
  std::uint32_t first_ = 0;     // number of its first message
  std::uint32_t messages_ = 0;  // in this round
  std::uint32_t sent_ = 0;      // of them
  std::uint32_t received_ = 0;
  barrier_tag gathered_ = barrier_tag::anonymous();
  std::vector<slot> slots_;
};

}  // namespace atl
