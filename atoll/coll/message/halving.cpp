// SPDX-License-Identifier: BSD-3-Clause
//
// The first exchange takes a member's contribution from where the caller has it: where the order
// allows, the half that comes arrives in its place and the own half is combined into it, so that
// nothing is copied.
#include <atoll/coll/message/halving.hpp>

#include <atoll/base/copy.hpp>

#include <bit>

namespace atl::coll {

namespace {
constexpr std::uint32_t folding_tag = 32;
}

task reduce_by_halving(call& c, halving_plan plan) {
  const folded& group = plan.group;
  const std::size_t element = c.combine.element_bytes;
  transfers moved;
  if (!group.acts()) {
    c.send(moved, group.partner(), folding_tag, c.from, c.bytes);
    co_await moved;
    co_return;
  }
  const std::size_t half = plan.bytes({0, group.groups() / 2});
  const scratch spare(c.memory(), group.has_partner() ? c.bytes : half);
  std::byte* const coming = spare.data();
  const std::byte* own = c.from;  // until the sum has it
  if (group.has_partner()) {
    c.receive(moved, group.partner(), folding_tag, coming, c.bytes);
    co_await moved;
    if (group.partner() < c.rank || c.combine.commutative) {
      if (plan.sum != own) copy_bytes(plan.sum, own, c.bytes);
      c.combine(coming, plan.sum, c.count);
    } else {
      c.combine(own, coming, c.count);
      copy_bytes(plan.sum, coming, c.bytes);
    }
    own = plan.sum;
  }
  std::uint32_t tag = 0;
  for (rank_id bit = 1; bit < group.groups(); bit *= 2, ++tag) {
    const rank_id peer_number = group.number() ^ bit;
    const rank_id peer = group.actor(peer_number);
    const block_range kept = plan.kept(group.number(), bit);
    const block_range given = plan.kept(peer_number, bit);
    const std::size_t bytes = plan.bytes(kept);
    const bool own_is_last = peer_number < group.number() || c.combine.commutative;
    const bool own_is_first = peer_number > group.number() || c.combine.commutative;
    std::byte* const place = plan.sum + plan.offset(kept);
    std::byte* const target = own != plan.sum && own_is_first ? place : coming;
    if (bytes != 0) c.receive(moved, peer, tag, target, bytes);
    if (plan.bytes(given) != 0) {
      c.send(moved, peer, tag, own + plan.offset(given), plan.bytes(given));
    }
    co_await moved;
    if (bytes == 0) {
      own = plan.sum;
      continue;
    }
    if (target == coming && own_is_last) {
      if (own != plan.sum) copy_bytes(place, own + plan.offset(kept), bytes);
      c.combine(coming, place, bytes / element);
    } else {
      c.combine(own + plan.offset(kept), target, bytes / element);
      if (target != place) copy_bytes(place, target, bytes);
    }
    own = plan.sum;
  }
}

void exchange(call& c, transfers& moved, const halving_plan& plan, const range_exchange& step) {
  const std::uint32_t tag =
      folding_tag + 1 + static_cast<std::uint32_t>(std::countr_zero(step.bit));
  const std::size_t sent = plan.bytes(step.sent), received = plan.bytes(step.received);
  if (received != 0) {
    c.receive(moved, step.peer, tag, plan.sum + plan.offset(step.received), received);
  }
  if (sent != 0) c.send(moved, step.peer, tag, plan.sum + plan.offset(step.sent), sent);
}

}  // namespace atl::coll
