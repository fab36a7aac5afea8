// SPDX-License-Identifier: BSD-3-Clause
//
// The barrier over active messages: dissemination. In round k a rank tells the rank 2^k further on
// (modulo size) that it and, by induction, the 2^k - 1 ranks before it have arrived; after
// ceil(log2(size)) rounds everybody knows of everybody. Each message carries the tags combined so
// far. Works for any number of ranks on any transport.
//
// Messages of the next epoch can come before this one is left, those after that cannot; so two sets
// of slots, by the parity of the epoch. A slot is written by a handler (any polling thread,
// release) and read by the owner's test (acquire).
#pragma once

#include <atoll/core/barrier.hpp>

#include <array>
#include <atomic>

namespace atl {

class endpoint;

class message_barrier final : public barrier {
 public:
  /// Registers its handler in the runtime's own endpoint.
  message_barrier(runtime& owner, barrier_use use);

  void arrive(barrier_tag tag) noexcept override;
  bool test() noexcept override;
  barrier_tag result() const noexcept override { return gathered_; }

 private:
  static constexpr unsigned rounds_max = 32;

  struct slot {
    std::atomic<bool> here = false;
    std::atomic<std::uint64_t> tag = 0;
  };

  void tell() noexcept;

  endpoint& system_;
  std::uint8_t handler_;
  rank_id self_;
  rank_id size_;
  std::uint32_t epoch_ = 0;
  unsigned round_ = 0;
  bool told_ = false;  // this round's message is out
  barrier_tag gathered_ = barrier_tag::anonymous();
  std::array<std::array<slot, rounds_max>, 2> slots_;
};

}  // namespace atl
