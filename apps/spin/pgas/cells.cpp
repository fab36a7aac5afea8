// SPDX-License-Identifier: BSD-3-Clause
//
// Sums by cells. A blocking put is visible when it returns, so the number arrives before its count;
// the count is read with acquire before the number. The cell of sum c is free for sum c + 2,
// because its writer has seen the reader's number for sum c + 1, which the reader sends only after
// it has read all cells of sum c.
#include <apps/spin/pgas/cells.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/core/rma/rma.hpp>

#include <atomic>

namespace spin {

cells::cells(atl::runtime& job, shared_area& area)
    : job_(job), area_(area), cells_(area.take<cell>(std::size_t{2} * job.size())) {}

double cells::sum(double value) {
  ++count_;
  cell* const row = cells_ + (count_ & 1) * job_.size();
  for (atl::rank_id peer = 0; peer < job_.size(); ++peer) {
    cell* const remote = area_.peer_address(peer, row + job_.rank());
    atl::put_value(job_.primordial(), peer, &remote->number, value);
    atl::put_value(job_.primordial(), peer, &remote->count, count_);
  }
  const std::int64_t start_ns = atl::now_ns();
  double total = 0;
  for (atl::rank_id peer = 0; peer < job_.size(); ++peer) {
    const auto has_arrived =
        [&] {  // acquire: pairs with the put of the count, after that of the number
          return std::atomic_ref(row[peer].count).load(std::memory_order_acquire) == count_;
        };
    job_.wait_until(has_arrived, atl::runtime::silent_sleep_ns);
    total += row[peer].number;
  }
  waited_ns_ += atl::now_ns() - start_ns;
  return total;
}

}  // namespace spin
