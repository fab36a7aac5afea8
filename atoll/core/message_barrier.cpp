// SPDX-License-Identifier: BSD-3-Clause
//
// Dissemination as a state machine: test() moves as many rounds as messages allow, and never waits
// (a message that finds no room is sent at the next test).
#include <atoll/core/message_barrier.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/core/runtime.hpp>
#include <atoll/core/system_handlers.hpp>

namespace atl {

message_barrier::message_barrier(runtime& owner, barrier_use use)
    : system_(owner.system()), self_(owner.rank()), size_(owner.size()) {
  handler_ =
      use == barrier_use::plain ? system_handler::barrier_plain : system_handler::barrier_named;
  const auto run = [](void* context, am_token&, const std::uint32_t* args, unsigned, void*,
                      std::size_t) {
    auto& at = static_cast<message_barrier*>(context)->slots_[args[0] % 2][args[1]];
    at.tag.store(args[2] | std::uint64_t{args[3]} << 32, std::memory_order_relaxed);
    at.here.store(true, std::memory_order_release);  // pairs with the acquire in test()
  };
  const bool registered = system_.handlers().set(
      handler_, {.run = run, .context = this, .nargs = 4, .name = "barrier"});
  ATOLL_ASSERT(registered, "the barrier's handler is taken", unsigned{handler_});
}

void message_barrier::arrive(barrier_tag tag) noexcept {
  ++epoch_;
  round_ = 0;
  told_ = false;
  gathered_ = tag;
  tell();
}

void message_barrier::tell() noexcept {
  const std::uint64_t step = std::uint64_t{1} << round_;
  if (step >= size_) return;
  const std::uint64_t tag = gathered_.bits();
  const std::array<std::uint32_t, 4> args{epoch_, round_, static_cast<std::uint32_t>(tag),
                                          static_cast<std::uint32_t>(tag >> 32)};
  am_message out{.target = static_cast<rank_id>((self_ + step) % size_),
                 .handler = handler_,
                 .nargs = args.size(),
                 .args = args.data()};
  told_ = system_.request(out, true);
}

bool message_barrier::test() noexcept {
  while ((std::uint64_t{1} << round_) < size_) {
    if (!told_) tell();
    if (!told_) return false;
    slot& from = slots_[epoch_ % 2][round_];
    if (!from.here.load(std::memory_order_acquire)) return false;
    from.here.store(false, std::memory_order_relaxed);  // next written two epochs from now
    gathered_ = combine(gathered_, barrier_tag::of_bits(from.tag.load(std::memory_order_relaxed)));
    ++round_;
    told_ = false;
  }
  return true;
}

}  // namespace atl
