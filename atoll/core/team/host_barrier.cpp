// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers over the memory that the ranks of a host share. Sleepers are woken by their doorbells:
// ringing one at which no thread sleeps is one load.
#include <atoll/core/team/host_barrier.hpp>

namespace atl {

namespace {

bool reached(std::uint32_t seen, std::uint32_t wanted) noexcept {
  return static_cast<std::int32_t>(seen - wanted) >= 0;
}

}  // namespace

void flags_barrier::arrive(barrier_tag tag) noexcept {
  ++epoch_;
  seen_ = 0;
  result_ = barrier_tag::anonymous();
  flag_barrier& own_line = members_.block->line(members_.self, use_);
  // The slot of this parity was last read for epoch_ - 2, which every member has left.
  own_line.tag[epoch_ % 2].store(tag.bits(), std::memory_order_relaxed);
  own_line.epoch.store(epoch_, std::memory_order_release);  // pairs with the acquire in test()
  members_.ring_others();
}

bool flags_barrier::test() noexcept {
  for (; seen_ < members_.count(); ++seen_) {
    const flag_barrier& member_line = members_.block->line(seen_, use_);
    // Pairs with the release in arrive(): all that member did before it arrived is visible.
    if (!reached(member_line.epoch.load(std::memory_order_acquire), epoch_)) return false;
    const std::uint64_t tag = member_line.tag[epoch_ % 2].load(std::memory_order_relaxed);
    result_ = combine(result_, barrier_tag::of_bits(tag));
  }
  return true;
}

void counter_barrier::gather(barrier_tag tag) noexcept {
  if (tag.is_anonymous()) return;
  std::atomic<std::uint64_t>& slot = state_.gathering[(epoch_ + 1) % 2];
  std::uint64_t old_tags = slot.load(std::memory_order_relaxed);
  std::uint64_t combined;
  do {
    combined = combine(barrier_tag::of_bits(old_tags), tag).bits();
    // Relaxed: published by the arrival count below.
  } while (!slot.compare_exchange_weak(old_tags, combined, std::memory_order_relaxed));
}

barrier_tag counter_barrier::gathered() const noexcept {
  return barrier_tag::of_bits(state_.gathering[epoch_ % 2].load(std::memory_order_relaxed));
}

void counter_barrier::arrive(barrier_tag tag) noexcept {
  gather(tag);
  ++epoch_;
  hosts_asked_ = false;
  // Acquire and release: the last to arrive has seen all that the others did, and passes it on.
  const std::uint32_t earlier = state_.arrived.fetch_add(1, std::memory_order_acq_rel);
  if (earlier + 1 != members_.count()) return;
  if (one_host_) {
    open(gathered());
  } else if (between_hosts_) {
    ask_hosts();
  } else {
    members_.ring_others();  // the leader may sleep until all are here
  }
}

// Only the leader comes here, once all local members have arrived.
void counter_barrier::ask_hosts() noexcept {
  between_hosts_->arrive(gathered());
  hosts_asked_ = true;
}

void counter_barrier::use_radix(unsigned radix) noexcept {
  if (between_hosts_) between_hosts_->use_radix(radix);
}

void counter_barrier::open(barrier_tag result) noexcept {
  state_.result[epoch_ % 2].store(result.bits(), std::memory_order_relaxed);
  state_.gathering[epoch_ % 2].store(0, std::memory_order_relaxed);
  state_.arrived.store(0, std::memory_order_relaxed);
  state_.epoch.store(epoch_, std::memory_order_release);  // pairs with the acquire in test()
  members_.ring_others();
}

bool counter_barrier::test() noexcept {
  if (between_hosts_ && !reached(state_.epoch.load(std::memory_order_relaxed), epoch_)) {
    // Acquire: pairs with the arrivals of the local members.
    const bool all_arrived =
        hosts_asked_ || state_.arrived.load(std::memory_order_acquire) == members_.count();
    if (!all_arrived) return false;
    if (!hosts_asked_) ask_hosts();
    if (!between_hosts_->test()) return false;
    open(between_hosts_->result());
  }
  // Acquire: pairs with the release in open().
  if (!reached(state_.epoch.load(std::memory_order_acquire), epoch_)) return false;
  result_ = barrier_tag::of_bits(state_.result[epoch_ % 2].load(std::memory_order_relaxed));
  return true;
}

}  // namespace atl
