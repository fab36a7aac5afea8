// SPDX-License-Identifier: BSD-3-Clause
//
// Dissemination as a state machine: test() moves as many rounds as messages allow, and never waits
// (a message that finds no room is sent at the next test).
#include <atoll/core/team/message_barrier.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/halves.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/system_handlers.hpp>
#include <atoll/core/settings.hpp>
#include <atoll/core/team/barrier_table.hpp>

#include <algorithm>

namespace atl {

namespace {

constexpr unsigned radix_shift = 56;  // of the wanted radix in a message, above the bits of a tag

// The messages that a rank gets in an epoch.
std::uint32_t messages_of(std::uint64_t ranks, unsigned radix) noexcept {
  std::uint32_t count = 0;
  for (std::uint64_t weight = 1; weight < ranks; weight *= radix) {
    for (unsigned times = 1; times < radix && times * weight < ranks; ++times) ++count;
  }
  return count;
}

// The most of any radix.
std::size_t slots_for(std::uint64_t ranks) noexcept {
  std::uint32_t most = 0;
  for (unsigned radix = 2; radix <= barrier_radix_max; ++radix) {
    most = std::max(most, messages_of(ranks, radix));
  }
  return 2 * std::size_t{most};
}

unsigned radix_at_start(const runtime& owner) noexcept {
  const auto chosen = static_cast<unsigned>(owner.configuration().choice(setting::barrier_radix));
  return chosen == 0 ? barrier_radix_usual : chosen + 1;  // behind "auto" the radixes begin with 2
}

}  // namespace

message_barrier::message_barrier(runtime& owner, std::uint64_t key, rank_set ranks, rank_id self)
    : system_(layer_access::system_endpoint(owner)),
      table_(core_access::barriers(owner)),
      key_(key),
      ranks_(std::move(ranks)),
      self_(self),
      radix_(radix_at_start(owner)),
      slots_(slots_for(ranks_.size())) {
  table_.add(key_, *this);
}

message_barrier::~message_barrier() { table_.remove(key_); }

// Relaxed: it publishes nothing else, and the ranks need not arrive with the same.
void message_barrier::use_radix(unsigned radix) noexcept {
  wanted_.store(std::clamp(radix, 2u, barrier_radix_max), std::memory_order_relaxed);
}

void message_barrier::receive(std::uint32_t epoch, std::uint32_t number,
                              std::uint64_t tag) noexcept {
  ATOLL_ASSERT(number < slots_.size() / 2, "a barrier's message of another radix", number,
               ranks_.size());
  slot& received = slot_of(epoch, number);
  received.tag.store(tag, std::memory_order_relaxed);
  received.arrived.store(true, std::memory_order_release);  // pairs with receive_round()
}

void message_barrier::arrive(barrier_tag tag) noexcept {
  ++epoch_;
  if (next_radix_ != 0) radix_ = next_radix_;  // all ranks have left the last epoch with it
  next_radix_ = wanted_.load(std::memory_order_relaxed);
  weight_ = 1;
  first_ = 0;
  gathered_ = tag;
  begin_round();
  send_round();
}

void message_barrier::begin_round() noexcept {
  const std::uint64_t others = ranks_.size() - 1;
  messages_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(radix_ - 1, others / weight_));
  sent_ = received_ = 0;
}

// False: there is no room for a message now.
bool message_barrier::send_round() noexcept {
  while (sent_ < messages_) {
    if (!send((sent_ + 1) * weight_, first_ + sent_)) return false;
    ++sent_;
  }
  return true;
}

bool message_barrier::send(std::uint64_t distance, std::uint32_t number) noexcept {
  const std::uint64_t to = (self_ + distance) % ranks_.size();
  const std::uint64_t tag = gathered_.bits() | std::uint64_t{next_radix_} << radix_shift;
  const std::array<std::uint32_t, 6> args{low_half(key_), high_half(key_), epoch_,
                                          number,         low_half(tag),   high_half(tag)};
  am_message out{.target = ranks_[static_cast<rank_id>(to)],
                 .handler = system_handler::barrier,
                 .nargs = args.size(),
                 .args = args.data()};
  return system_.request(out, true);
}

// Takes the messages of the round in their order; false while one is missing.
bool message_barrier::receive_round() noexcept {
  for (; received_ < messages_; ++received_) {
    slot& from = slot_of(epoch_, first_ + received_);
    if (!from.arrived.load(std::memory_order_acquire)) return false;
    from.arrived.store(false, std::memory_order_relaxed);  // next written two epochs from now
    const std::uint64_t told = from.tag.load(std::memory_order_relaxed);
    const std::uint64_t tag = told & ((std::uint64_t{1} << radix_shift) - 1);
    gathered_ = combine(gathered_, barrier_tag::of_bits(tag));
    next_radix_ = std::max(next_radix_, static_cast<unsigned>(told >> radix_shift));
  }
  return true;
}

bool message_barrier::test() noexcept {
  while (weight_ < ranks_.size()) {
    if (!send_round() || !receive_round()) return false;
    weight_ *= radix_;
    first_ += messages_;
    begin_round();
  }
  return true;
}

}  // namespace atl
