// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions to all members by messages.
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/message/folded.hpp>
#include <atoll/coll/message/halving.hpp>
#include <atoll/coll/message/reduce_scatter.hpp>
#include <atoll/coll/message/ring.hpp>

#include <utility>

namespace atl::coll {

namespace {
constexpr std::uint32_t fold_tag = 100, unfold_tag = 101;
}

// All-reduce in log2(size) exchanges of all data: in step k a member exchanges with the one whose
// number differs in bit k, after which both have the result of 2^(k+1) consecutive members. Where
// size is no power of two, the first members pair up before that, and one of each pair acts for
// both. Ranges stay consecutive, so the order of members is kept.
task allreduce_recursive_doubling(call& c) {
  const folded group(c.rank, c.size, c.size);
  const scratch spare(c.memory(), c.bytes);
  std::byte* sum = c.to;
  std::byte* other = spare.data();
  transfers moved;
  if (!group.acts()) {
    c.send(moved, group.partner(), fold_tag, c.from, c.bytes);
    co_await moved;
    c.receive(moved, group.partner(), unfold_tag, c.to, c.bytes);
    co_await moved;
    co_return;
  }
  if (c.to != c.from) copy_bytes(c.to, c.from, c.bytes);
  if (group.has_partner()) {
    c.receive(moved, group.partner(), fold_tag, other, c.bytes);
    co_await moved;
    c.combine(other, sum, c.count);
  }
  std::uint32_t tag = 0;
  for (rank_id bit = 1; bit < group.groups(); bit *= 2, ++tag) {
    const rank_id peer_number = group.number() ^ bit;
    const rank_id peer = group.actor(peer_number);
    c.receive(moved, peer, tag, other, c.bytes);
    c.send(moved, peer, tag, sum, c.bytes);
    co_await moved;
    if (peer_number < group.number() || c.combine.commutative) {
      c.combine(other, sum, c.count);
    } else {
      c.combine(sum, other, c.count);
      std::swap(sum, other);
    }
  }
  if (group.has_partner()) c.send(moved, group.partner(), unfold_tag, sum, c.bytes);
  if (sum != c.to) copy_bytes(c.to, sum, c.bytes);
  co_await moved;
}

// All-reduce of large data: by recursive halving, then the same exchanges in the reverse order, by
// which each member gets back what it has given away. Twice log2(size) messages.
task allreduce_recursive_halving(call& c) {
  const halving_plan plan(c, c.size, c.to);
  const folded& group = plan.group;
  task halved = reduce_by_halving(c, plan);
  co_await halved;
  transfers moved;
  for (rank_id bit = group.groups() / 2; bit != 0 && group.acts(); bit /= 2) {
    const rank_id number = group.number() ^ bit;
    exchange(c, moved, plan,
             {.peer = group.actor(number),
              .bit = bit,
              .sent = plan.kept(group.number(), bit),
              .received = plan.kept(number, bit)});
    co_await moved;
  }
  if (group.acts()) {
    if (group.has_partner()) c.send(moved, group.partner(), unfolding_tag, c.to, c.bytes);
  } else {
    c.receive(moved, group.partner(), unfolding_tag, c.to, c.bytes);
  }
  co_await moved;
}

// All-reduce as a reduction to member 0 and a broadcast from there, both by trees: half as many
// messages as exchanges need, which is what counts when members share cores.
task allreduce_tree(call& c) {
  call reduce_phase = c.as_phase(1);
  reduce_phase.root = 0;
  task reduced = reduce_tree(reduce_phase);
  co_await reduced;
  call broadcast_phase = c.as_phase(2);
  broadcast_phase.root = 0;
  broadcast_phase.from = c.to;
  task broadcast_part = broadcast_tree(broadcast_phase);
  co_await broadcast_part;
}

// All-reduce of large data: each member combines one block of all, and the blocks go around a ring.
task allreduce_scatter_allgather(call& c) {
  const blocks cut(c.bytes, c.size, c.combine.element_bytes);
  task scattered = reduce_scatter(c, c.to + cut.offset(c.rank), cut);
  co_await scattered;
  const ring_plan plan{.data = c.to, .cut = cut, .first = 0, .tag = c.size};
  task around = gather_around_ring(c, plan);
  co_await around;
}

}  // namespace atl::coll
