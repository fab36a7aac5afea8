// SPDX-License-Identifier: BSD-3-Clause
//
// Passes blocks around the ring. Receives are posted ahead, usually by two steps, so that large
// blocks need not wait for their receiver.
#include <atoll/coll/message/ring.hpp>

#include <atoll/coll/engine/table.hpp>
#include <atoll/coll/message/window.hpp>

#include <algorithm>

namespace atl::coll {

task gather_around_ring(call& c, ring_plan plan) {
  const rank_id size = c.size;
  const rank_id number = (c.rank + size - plan.first) % size;
  const rank_id left = (c.rank + size - 1) % size;
  const rank_id right = (c.rank + 1) % size;
  const rank_id ahead = std::min(c.depth_or(depth_of_rings), size - 1);
  transfer_window arrived(c, ahead);
  transfers sent;
  const auto receive = [&](transfers& arrival, rank_id step) {
    const rank_id block = (number + size - step) % size;
    const std::size_t bytes = plan.cut.bytes(block);
    if (bytes == 0) return;
    c.receive(arrival, left, plan.tag + step, plan.data + plan.cut.offset(block), bytes);
  };
  for (rank_id step = 1; step <= ahead; ++step) {
    receive(arrived[step], step);
  }
  for (rank_id step = 1; step < size; ++step) {
    const rank_id block = (number + size - step + 1) % size;
    const std::size_t bytes = plan.cut.bytes(block);
    if (bytes != 0) {
      c.send(sent, right, plan.tag + step, plan.data + plan.cut.offset(block), bytes);
    }
    transfers& arrival = arrived[step];
    co_await arrival;
    if (step + ahead < size) receive(arrival, step + ahead);
  }
  co_await sent;
}

}  // namespace atl::coll
