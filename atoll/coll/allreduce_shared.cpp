// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduce within a host where each member has a core: all write their contributions into their
// lanes, and each combines all of them for itself. One crossing between cores, and no member waits
// for what another one does with the data.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/shared_loop.hpp>

namespace atl::coll {

namespace {

class shared_allreduce : public shared_loop<shared_allreduce> {
 public:
  using shared_loop::shared_loop;

  void deposit(const shared_piece& part) noexcept {
    std::memcpy(own_data(part.turn), c.from + part.offset, part.bytes);
    tell(part.turn);
    s.ring_others();
  }
  bool arrived(const shared_piece& part) noexcept { return all_told(c.size, part.turn); }
  void take(const shared_piece& part) { fold(c.size - 1, part, c.to + part.offset); }
};

}  // namespace

task allreduce_shared(call& c) { return run_shared<shared_allreduce>(c); }
constinit const shared_form allreduce_shared_form = form_of<shared_allreduce>();

}  // namespace atl::coll
