// SPDX-License-Identifier: BSD-3-Clause
//
// Scan within a host, for small data and few members: all write their contributions into their
// lanes, and each combines those before it. One step, at the price of combining them again and
// again.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/shared_loop.hpp>

namespace atl::coll {

namespace {

class shared_scan : public shared_loop<shared_scan> {
 public:
  shared_scan(call& at, shared_lanes& lanes) noexcept
      : shared_loop(at, lanes), end_(at.exclusive ? at.rank : at.rank + 1) {
    takes = end_ != 0;
  }

  void deposit(const shared_piece& part) noexcept {
    std::memcpy(own_data(part.turn), c.from + part.offset, part.bytes);
    tell(part.turn);
    for (rank_id member = c.rank + 1; member < c.size; ++member) s.ring(member);
  }
  bool arrived(const shared_piece& part) noexcept { return all_told(end_, part.turn); }
  void take(const shared_piece& part) { fold(end_ - 1, part, c.to + part.offset); }

 private:
  rank_id end_;  // members before this one count
};

}  // namespace

task scan_shared(call& c) { return run_shared<shared_scan>(c); }
constinit const shared_form scan_shared_form = form_of<shared_scan>();

}  // namespace atl::coll
