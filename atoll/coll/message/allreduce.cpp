// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions to all members by messages.
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/message/reduce_scatter.hpp>
#include <atoll/coll/message/ring.hpp>

#include <bit>
#include <utility>

namespace atl::coll {

namespace {
constexpr std::uint32_t fold_tag = 100, unfold_tag = 101;
}

// All-reduce in log2(size) exchanges of all data: in step k a member exchanges with the one whose
// number differs in bit k, after which both have the result of 2^(k+1) consecutive members. Where
// size is no power of two, the first members pair up before that, and the odd one of each pair acts
// for both. Ranges stay consecutive, so the order of members is kept.
task allreduce_recursive_doubling(call& c) {
  const rank_id actors = std::bit_floor(c.size);
  const rank_id paired = 2 * (c.size - actors);  // this many ranks from the first on
  const bool is_paired = c.rank < paired;
  const scratch spare(c.memory(), c.bytes);
  std::byte* sum = c.to;
  std::byte* other = spare.data();
  transfers moved;
  if (is_paired && c.rank % 2 == 0) {
    c.send(moved, c.rank + 1, fold_tag, c.from, c.bytes);
    co_await moved;
    c.receive(moved, c.rank + 1, unfold_tag, c.to, c.bytes);
    co_await moved;
    co_return;
  }
  if (c.to != c.from) copy_bytes(c.to, c.from, c.bytes);
  if (is_paired) {
    c.receive(moved, c.rank - 1, fold_tag, other, c.bytes);
    co_await moved;
    c.combine(other, sum, c.count);
  }
  const rank_id number = is_paired ? c.rank / 2 : c.rank - paired / 2;
  std::uint32_t tag = 0;
  for (rank_id bit = 1; bit < actors; bit *= 2, ++tag) {
    const rank_id peer_number = number ^ bit;
    const rank_id peer = 2 * peer_number < paired ? 2 * peer_number + 1 : peer_number + paired / 2;
    c.receive(moved, peer, tag, other, c.bytes);
    c.send(moved, peer, tag, sum, c.bytes);
    co_await moved;
    if (peer_number < number || c.combine.commutative) {
      c.combine(other, sum, c.count);
    } else {
      c.combine(sum, other, c.count);
      std::swap(sum, other);
    }
  }
  if (is_paired) c.send(moved, c.rank - 1, unfold_tag, sum, c.bytes);
  if (sum != c.to) copy_bytes(c.to, sum, c.bytes);
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
