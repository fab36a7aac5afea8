// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcasts by messages between members.
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/message/fork_tree.hpp>
#include <atoll/coll/message/knomial.hpp>
#include <atoll/coll/message/pieces.hpp>
#include <atoll/coll/message/ring.hpp>
#include <atoll/coll/message/window.hpp>

namespace atl::coll {

namespace {

// Broadcast down a tree. Each member serves its largest subtree first. Large data go in pieces,
// several of them under way, and a piece is passed on while the next ones arrive.
template <class Tree>
task broadcast_down(call& c) {
  const Tree place(c.rank, c.size, c.root, c.radix);
  const data_pieces cut(c);
  transfer_window arrived(c, cut.window());
  transfers sent;
  if (place.is_root()) {
    if (c.to != c.from) copy_bytes(c.to, c.from, c.bytes);
  } else {
    for (std::uint32_t i = 0; i < cut.window(); ++i) {
      c.receive(arrived[i], place.parent(), i, c.to + cut.offset(i), cut.bytes(i));
    }
  }
  for (std::uint32_t i = 0; i < cut.count(); ++i) {
    if (!place.is_root()) {
      transfers& arrival = arrived[i];
      co_await arrival;
      const std::uint32_t next = i + cut.window();
      if (next < cut.count()) {
        c.receive(arrival, place.parent(), next, c.to + cut.offset(next), cut.bytes(next));
      }
    }
    for (auto each = place.first_child(); each.exists(); each = place.next_child(each)) {
      c.send(sent, each.rank, i, c.to + cut.offset(i), cut.bytes(i));
    }
  }
  co_await sent;
}

}  // namespace

task broadcast_tree(call& c) { return broadcast_down<knomial>(c); }
task broadcast_fork(call& c) { return broadcast_down<fork_tree>(c); }

// Broadcast along a chain: each member passes on to the next, from the root on. Every member sends
// the data once, so for data of many pieces it moves as fast as one link does; the last member
// waits for as many pieces as there are members.
task broadcast_chain(call& c) {
  const data_pieces cut(c);
  const rank_id number = (c.rank + c.size - c.root) % c.size;
  const rank_id predecessor = (c.rank + c.size - 1) % c.size;
  const rank_id successor = (c.rank + 1) % c.size;
  const bool is_last = number == c.size - 1;
  transfer_window arrived(c, cut.window());
  transfers sent;
  if (number == 0) {
    if (c.to != c.from) copy_bytes(c.to, c.from, c.bytes);
  } else {
    for (std::uint32_t i = 0; i < cut.window(); ++i) {
      c.receive(arrived[i], predecessor, i, c.to + cut.offset(i), cut.bytes(i));
    }
  }
  for (std::uint32_t i = 0; i < cut.count(); ++i) {
    if (number != 0) {
      transfers& arrival = arrived[i];
      co_await arrival;
      const std::uint32_t next = i + cut.window();
      if (next < cut.count()) {
        c.receive(arrival, predecessor, next, c.to + cut.offset(next), cut.bytes(next));
      }
    }
    if (!is_last) c.send(sent, successor, i, c.to + cut.offset(i), cut.bytes(i));
  }
  co_await sent;
}

// Broadcast of large data: the root spreads one block per member down a binomial tree (a subtree's
// blocks lie together), then all pass their blocks around a ring. The root sends the data about
// once instead of once per child, whatever the number of members.
task broadcast_scatter_allgather(call& c) {
  const knomial place(c.rank, c.size, c.root, 2);
  const blocks cut(c.bytes, c.size, 1);
  transfers moved;
  if (place.is_root()) {
    if (c.to != c.from) copy_bytes(c.to, c.from, c.bytes);
  } else {
    const std::size_t bytes = cut.bytes(place.number(), place.subtree());
    if (bytes != 0) c.receive(moved, place.parent(), 0, c.to + cut.offset(place.number()), bytes);
    co_await moved;
  }
  for (knomial::child each = place.first_child(); each.exists(); each = place.next_child(each)) {
    const std::size_t bytes = cut.bytes(each.number, each.subtree);
    if (bytes != 0) c.send(moved, each.rank, 0, c.to + cut.offset(each.number), bytes);
  }
  const ring_plan plan{.data = c.to, .cut = cut, .first = c.root, .tag = 1};
  task around = gather_around_ring(c, plan);
  co_await around;
  co_await moved;
}

}  // namespace atl::coll
