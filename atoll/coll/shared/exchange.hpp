// SPDX-License-Identifier: BSD-3-Clause
//
// How the members of a host learn that all have put their data into their lanes. With a core for
// each, every member looks at every other's flag: one crossing. When they share cores, the last
// member to arrive, which a counter determines, tells and wakes all others; a member that looked
// before that would look in vain.
#pragma once

#include <atoll/coll/shared/loop.hpp>

namespace atl::coll {

template <class Algorithm, bool Counted>
class shared_exchange : public shared_loop<Algorithm> {
 public:
  using shared_loop<Algorithm>::shared_loop;

  bool arrived(const shared_piece& part) noexcept {
    if constexpr (Counted) {
      return shared_lanes::is_set(this->lanes_.slot(0, part.turn).back, part.turn);
    } else {
      return this->all_ready(this->call_.size, part.turn);
    }
  }

 protected:
  /// Says that this member's data are in its lane, in the way that arrived() looks for, and wakes
  /// the others.
  void announce(std::uint64_t turn) noexcept {
    if constexpr (Counted) {
      shared_slot& first = this->lanes_.slot(0, turn);
      if (!shared_lanes::is_last(first.arrived[0], this->call_.size)) return;
      shared_lanes::set(first.back, turn);
    } else {
      this->mark_ready(turn);
    }
    this->lanes_.ring_others();
  }
};

}  // namespace atl::coll
