// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers to all members by messages.
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/message/folded.hpp>
#include <atoll/coll/message/ring.hpp>

#include <algorithm>

namespace atl::coll {

// All-gather in one step: every member sends its block to every other. The shortest way for few
// members.
task allgather_linear(call& c) {
  transfers moved;
  for (rank_id i = 1; i < c.size; ++i) {
    const rank_id source = (c.rank + i) % c.size;
    c.receive(moved, source, 0, c.to + source * c.bytes, c.bytes);
  }
  for (rank_id i = 1; i < c.size; ++i) {
    c.send(moved, (c.rank + c.size - i) % c.size, 0, c.from, c.bytes);
  }
  std::byte* const own = c.to + c.rank * c.bytes;
  if (own != c.from) copy_bytes(own, c.from, c.bytes);
  co_await moved;
}

// All-gather after Bruck, in any radix r: before step k a member has the blocks of the r^k members
// from itself on; it then sends them to the r - 1 members that are 1, 2, ... times r^k before it.
// So log_r(size) steps; blocks lie in the order of distance and are put in place at the end.
task allgather_bruck(call& c) {
  const std::size_t block = c.bytes;
  const std::uint64_t radix = std::max(c.radix, 2u);
  const scratch gathered(c.memory(), block * c.size);
  transfers moved;
  copy_bytes(gathered.data(), c.from, block);
  std::uint32_t tag = 0;
  for (std::uint64_t held = 1; held < c.size; held *= radix) {
    for (std::uint64_t j = 1; j < radix && j * held < c.size; ++j, ++tag) {
      const std::uint64_t first = j * held;
      const auto distance = static_cast<rank_id>(first);
      const std::size_t bytes = std::min<std::uint64_t>(held, c.size - first) * block;
      c.receive(moved, (c.rank + distance) % c.size, tag, gathered.data() + first * block, bytes);
      c.send(moved, (c.rank + c.size - distance) % c.size, tag, gathered.data(), bytes);
    }
    co_await moved;
  }
  const std::size_t until_end = (c.size - c.rank) * block;
  copy_bytes(c.to + c.rank * block, gathered.data(), until_end);
  copy_bytes(c.to, gathered.data() + until_end, c.rank * block);
}

// All-gather by recursive doubling: in step k a member exchanges all that it has with the one whose
// number differs in bit k. These are always blocks that follow each other, so all arrive in their
// places. Where size is no power of two, the second of two members acts for both.
task allgather_recursive_doubling(call& c) {
  constexpr std::uint32_t fold_tag = 100, unfold_tag = 101;
  const folded group(c.rank, c.size, c.size);
  transfers moved;
  if (!group.acts()) {
    c.send(moved, group.partner(), fold_tag, c.from, c.bytes);
    co_await moved;
    c.receive(moved, group.partner(), unfold_tag, c.to, c.size * c.bytes);
    co_await moved;
    co_return;
  }
  std::byte* const own = c.to + c.rank * c.bytes;
  if (group.has_partner()) {
    c.receive(moved, group.partner(), fold_tag, c.to + group.partner() * c.bytes, c.bytes);
  }
  if (own != c.from) copy_bytes(own, c.from, c.bytes);
  co_await moved;
  std::uint32_t tag = 0;
  for (rank_id held = 1; held < group.groups(); held *= 2, ++tag) {
    const rank_id peer = group.number() ^ held;
    const rank_id first = group.number() / held * held, other = peer / held * held;
    const std::size_t bytes = (group.first(first + held) - group.first(first)) * c.bytes;
    const std::size_t coming = (group.first(other + held) - group.first(other)) * c.bytes;
    c.receive(moved, group.actor(peer), tag, c.to + group.first(other) * c.bytes, coming);
    c.send(moved, group.actor(peer), tag, c.to + group.first(first) * c.bytes, bytes);
    co_await moved;
  }
  if (group.has_partner()) {
    c.send(moved, group.partner(), unfold_tag, c.to, c.size * c.bytes);
    co_await moved;
  }
}

// All-gather around a ring: size - 1 steps, each between neighbours; nothing is copied twice.
task allgather_ring(call& c) {
  std::byte* const own = c.to + c.rank * c.bytes;
  if (own != c.from) copy_bytes(own, c.from, c.bytes);
  const blocks cut(c.bytes * c.size, c.size, c.bytes);
  const ring_plan plan{.data = c.to, .cut = cut, .first = 0, .tag = 0};
  task around = gather_around_ring(c, plan);
  co_await around;
}

}  // namespace atl::coll
