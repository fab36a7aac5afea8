// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions to a root by messages between members: up a tree for small data; for large ones in
// blocks, of which each member combines one, so that no member combines all. Operations that do not
// commute are combined in the order of members.
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/message/fork_tree.hpp>
#include <atoll/coll/message/halving.hpp>
#include <atoll/coll/message/knomial.hpp>
#include <atoll/coll/message/pieces.hpp>
#include <atoll/coll/message/reduce_scatter.hpp>
#include <atoll/coll/message/window.hpp>

namespace atl::coll {

// Reduction up a tree, piece by piece. A member combines its own piece with those of its
// children in ascending order of their numbers; since a subtree is a range of numbers, the order of
// members is kept. Each combination leaves its result where the child's data arrived, so nothing is
// copied: what a member sends on lies where its last child's data came in.
//
// Numbers count from the root on if the operation commutes. If not, they are the ranks, and member
// 0 sends the result to the root.
namespace {

constexpr std::uint32_t result_tag = (1u << 24) - 1;

template <class Tree>
rank_id children_of(const Tree& place) noexcept {
  rank_id count = 0;
  for (auto each = place.lowest_child(); each.exists(); each = place.above(each)) ++count;
  return count;
}

// Up to the tree's root, whose result comes to `to`.
template <class Tree>
task reduce_up(call& c, rank_id top, std::byte* to) {
  const Tree place(c.rank, c.size, top, c.radix);
  const std::size_t element = c.combine.element_bytes;
  const data_pieces cut(c, element);
  const rank_id children = children_of(place);
  const std::size_t room = cut.bytes(0);
  const std::uint32_t window = window_in_memory(cut.window(), children * room);
  const scratch arriving(c.memory(), window * children * room);
  transfer_window arrived(c, window);
  transfer_window sent(c, window);
  const auto place_of = [&](std::uint32_t i, rank_id child) {
    return arriving.data() + (i % window * children + child) * room;
  };
  const auto receive = [&](std::uint32_t i) {
    rank_id child = 0;
    for (auto each = place.lowest_child(); each.exists(); each = place.above(each)) {
      c.receive(arrived[i], each.rank, i, place_of(i, child++), cut.bytes(i));
    }
  };
  for (std::uint32_t i = 0; i < window; ++i) receive(i);
  for (std::uint32_t i = 0; i < cut.count(); ++i) {
    transfers& arrival = arrived[i];
    co_await arrival;
    const std::byte* sum = c.from + cut.offset(i);
    for (rank_id child = 0; child < children; ++child) {
      std::byte* const received = place_of(i, child);
      c.combine(sum, received, cut.bytes(i) / element);
      sum = received;
    }
    transfers& gone = sent[i];
    if (!place.is_root()) {
      c.send(gone, place.parent(), i, sum, cut.bytes(i));
    } else if (sum != to + cut.offset(i)) {
      copy_bytes(to + cut.offset(i), sum, cut.bytes(i));
    }
    if (i + window < cut.count()) {
      if (children != 0) co_await gone;  // its place is about to be used again
      receive(i + window);
    }
  }
  for (transfers& gone : sent) co_await gone;
}

template <class Tree>
task reduce_by(call& c) {
  if (c.combine.commutative || c.root == 0) {
    task reduced = reduce_up<Tree>(c, c.root, c.to);
    co_await reduced;
    co_return;
  }
  transfers moved;
  const scratch result(c.memory(), c.rank == 0 ? c.bytes : 0);
  task reduced = reduce_up<Tree>(c, 0, result.data());
  co_await reduced;
  if (c.rank == 0) c.send(moved, c.root, result_tag, result.data(), c.bytes);
  if (c.rank == c.root) c.receive(moved, 0, result_tag, c.to, c.bytes);
  co_await moved;
}

}  // namespace

task reduce_tree(call& c) { return reduce_by<knomial>(c); }
task reduce_fork(call& c) { return reduce_by<fork_tree>(c); }

// Reduction of large data: each member combines one block of all, and the root collects the blocks.
// Every member combines and sends about as much as the data are large, however many there are.
task reduce_scatter_gather(call& c) {
  const blocks cut(c.bytes, c.size, c.combine.element_bytes);
  const bool is_root = c.rank == c.root;
  const scratch block(c.memory(), is_root ? 0 : cut.bytes(c.rank));
  std::byte* const own = is_root ? c.to + cut.offset(c.rank) : block.data();
  transfers moved;
  task scattered = reduce_scatter(c, own, cut);
  co_await scattered;
  const std::uint32_t tag = c.size;
  if (!is_root) {
    if (cut.bytes(c.rank) != 0) c.send(moved, c.root, tag, block.data(), cut.bytes(c.rank));
  } else {
    for (rank_id member = 0; member < c.size; ++member) {
      if (member == c.rank || cut.bytes(member) == 0) continue;
      c.receive(moved, member, tag, c.to + cut.offset(member), cut.bytes(member));
    }
  }
  co_await moved;
}

// Reduction of large data by recursive halving. The root then collects the blocks in the reverse
// order of the exchanges: with each step half of the groups hand what they have to the other half,
// which the root's own is among.
task reduce_recursive_halving(call& c) {
  const bool is_root = c.rank == c.root;
  const folded place(c.rank, c.size, c.root);
  const scratch partial(c.memory(), place.acts() && !is_root ? c.bytes : 0);
  const halving_plan plan(c, c.root, is_root ? c.to : partial.data());
  task halved = reduce_by_halving(c, plan);
  co_await halved;
  if (!place.acts()) co_return;
  const rank_id number = place.number();
  const rank_id apart = number ^ place.number_of(c.root);
  constexpr block_range nothing{0, 0};
  transfers moved;
  for (rank_id bit = place.groups() / 2; bit != 0; bit /= 2) {
    const bool gives = (apart & bit) != 0;
    const rank_id other = number ^ bit;
    exchange(c, moved, plan,
             {.peer = place.actor(other),
              .bit = bit,
              .sent = gives ? plan.kept(number, bit) : nothing,
              .received = gives ? nothing : plan.kept(other, bit)});
    co_await moved;
    if (gives) co_return;
  }
}

}  // namespace atl::coll
