// SPDX-License-Identifier: BSD-3-Clause
//
// The two barriers over shared memory. Both count epochs: a rank can be at most one epoch ahead of
// the slowest, so two slots per tag suffice and epochs are compared by signed difference.
#pragma once

#include <atoll/core/barrier.hpp>
#include <atoll/memory/host_memory.hpp>

#include <cstddef>

namespace atl {

/// Every rank writes its own line and reads everybody's.
class flags_barrier final : public barrier {
 public:
  flags_barrier(memory::host_memory& memory, rank_id self, barrier_use use) noexcept
      : memory_(memory), self_(self), use_(static_cast<std::size_t>(use)) {}

  void arrive(barrier_tag tag) noexcept override;
  bool test() noexcept override;
  barrier_tag result() const noexcept override { return result_; }

 private:
  memory::host_memory& memory_;
  rank_id self_;
  std::size_t use_;
  std::uint32_t epoch_ = 0;
  rank_id seen_ = 0;  // ranks known to have arrived in this epoch
  barrier_tag result_ = barrier_tag::anonymous();
};

/// One counter per host; the last to arrive opens the next epoch and wakes the others.
class counter_barrier final : public barrier {
 public:
  counter_barrier(memory::host_memory& memory, rank_id self, barrier_use use) noexcept
      : memory_(memory),
        self_(self),
        state_(memory.header().barriers[static_cast<std::size_t>(use)]) {}

  void arrive(barrier_tag tag) noexcept override;
  bool test() noexcept override;
  barrier_tag result() const noexcept override { return result_; }

 private:
  void gather(barrier_tag tag) noexcept;
  void open() noexcept;

  memory::host_memory& memory_;
  rank_id self_;
  memory::counting_barrier& state_;
  std::uint32_t epoch_ = 0;
  barrier_tag result_ = barrier_tag::anonymous();
};

}  // namespace atl
