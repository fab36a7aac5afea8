// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers over the memory that the ranks of a host share. Sleepers are woken by their doorbells:
// ringing one that nobody sleeps on is one load.
#include <atoll/core/host_barrier.hpp>

namespace atl {

namespace {

bool reached(std::uint32_t seen, std::uint32_t wanted) noexcept {
  return static_cast<std::int32_t>(seen - wanted) >= 0;
}

void ring_others(memory::host_memory& memory, rank_id self) noexcept {
  for (rank_id rank = 0; rank < memory.layout().ranks; ++rank) {
    if (rank != self) memory.page(rank).bell.ring();
  }
}

}  // namespace

void flags_barrier::arrive(barrier_tag tag) noexcept {
  ++epoch_;
  seen_ = 0;
  result_ = barrier_tag::anonymous();
  memory::flag_barrier& mine = memory_.page(self_).barriers[use_];
  // The slot of this parity was last read for epoch_ - 2, which everybody has left.
  mine.tag[epoch_ % 2].store(tag.bits(), std::memory_order_relaxed);
  mine.epoch.store(epoch_, std::memory_order_release);  // pairs with the acquire in test()
  ring_others(memory_, self_);
}

bool flags_barrier::test() noexcept {
  for (; seen_ < memory_.layout().ranks; ++seen_) {
    const memory::flag_barrier& theirs = memory_.page(seen_).barriers[use_];
    // Pairs with the release in arrive(): all that rank did before it arrived is visible.
    if (!reached(theirs.epoch.load(std::memory_order_acquire), epoch_)) return false;
    const std::uint64_t tag = theirs.tag[epoch_ % 2].load(std::memory_order_relaxed);
    result_ = combine(result_, barrier_tag::of_bits(tag));
  }
  return true;
}

void counter_barrier::gather(barrier_tag tag) noexcept {
  if (tag.is_anonymous()) return;
  std::atomic<std::uint64_t>& slot = state_.gathering[(epoch_ + 1) % 2];
  std::uint64_t before = slot.load(std::memory_order_relaxed);
  std::uint64_t after;
  do {
    after = combine(barrier_tag::of_bits(before), tag).bits();
    // Relaxed: published by the arrival count below.
  } while (!slot.compare_exchange_weak(before, after, std::memory_order_relaxed));
}

void counter_barrier::arrive(barrier_tag tag) noexcept {
  gather(tag);
  ++epoch_;
  // Acquire and release: the last to arrive has seen all that the others did, and passes it on.
  const std::uint32_t before = state_.arrived.fetch_add(1, std::memory_order_acq_rel);
  if (before + 1 == memory_.layout().ranks) open();
}

void counter_barrier::open() noexcept {
  std::atomic<std::uint64_t>& gathered = state_.gathering[epoch_ % 2];
  state_.result[epoch_ % 2].store(gathered.load(std::memory_order_relaxed),
                                  std::memory_order_relaxed);
  gathered.store(0, std::memory_order_relaxed);
  state_.arrived.store(0, std::memory_order_relaxed);
  state_.epoch.store(epoch_, std::memory_order_release);  // pairs with the acquire in test()
  ring_others(memory_, self_);
}

bool counter_barrier::test() noexcept {
  if (!reached(state_.epoch.load(std::memory_order_acquire), epoch_)) return false;
  result_ = barrier_tag::of_bits(state_.result[epoch_ % 2].load(std::memory_order_relaxed));
  return true;
}

}  // namespace atl
