// SPDX-License-Identifier: BSD-3-Clause
//
// Dissemination as a state machine: test() moves as many rounds as messages allow, and never waits
// (a message that finds no room is sent at the next test).
#include <atoll/core/team/message_barrier.hpp>

#include <atoll/base/halves.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/system_handlers.hpp>
#include <atoll/core/team/barrier_table.hpp>

#include <bit>

namespace atl {

message_barrier::message_barrier(runtime& owner, std::uint64_t key, rank_set ranks, rank_id self)
    : system_(layer_access::system_endpoint(owner)),
      table_(core_access::barriers(owner)),
      key_(key),
      ranks_(std::move(ranks)),
      self_(self),
      rounds_(static_cast<unsigned>(std::bit_width(ranks_.size() - 1))),
      slots_(2 * std::size_t{rounds_}) {
  table_.add(key_, *this);
}

message_barrier::~message_barrier() { table_.remove(key_); }

void message_barrier::receive(std::uint32_t epoch, std::uint32_t round,
                              std::uint64_t tag) noexcept {
  slot& received = slot_of(epoch, round);
  received.tag.store(tag, std::memory_order_relaxed);
  received.arrived.store(true, std::memory_order_release);  // pairs with the acquire in test()
}

void message_barrier::arrive(barrier_tag tag) noexcept {
  ++epoch_;
  round_ = 0;
  sent_ = false;
  gathered_ = tag;
  if (rounds_ != 0) send();
}

void message_barrier::send() noexcept {
  const std::uint64_t to = (self_ + (std::uint64_t{1} << round_)) % ranks_.size();
  const std::uint64_t tag = gathered_.bits();
  const std::array<std::uint32_t, 6> args{low_half(key_), high_half(key_), epoch_,
                                          round_,         low_half(tag),   high_half(tag)};
  am_message out{.target = ranks_[static_cast<rank_id>(to)],
                 .handler = system_handler::barrier,
                 .nargs = args.size(),
                 .args = args.data()};
  sent_ = system_.request(out, true);
}

bool message_barrier::test() noexcept {
  while (round_ < rounds_) {
    if (!sent_) send();
    if (!sent_) return false;
    slot& from = slot_of(epoch_, round_);
    if (!from.arrived.load(std::memory_order_acquire)) return false;
    from.arrived.store(false, std::memory_order_relaxed);  // next written two epochs from now
    gathered_ = combine(gathered_, barrier_tag::of_bits(from.tag.load(std::memory_order_relaxed)));
    ++round_;
    sent_ = false;
  }
  return true;
}

}  // namespace atl
