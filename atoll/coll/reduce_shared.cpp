// SPDX-License-Identifier: BSD-3-Clause
//
// Reduction within a host: every member writes its contribution into its lane and goes on, the root
// combines them. Its time grows with the members, but there is only one step.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/shared_loop.hpp>

namespace atl::coll {

namespace {

class shared_reduce : public shared_loop<shared_reduce> {
 public:
  shared_reduce(call& at, shared_lanes& lanes) noexcept : shared_loop(at, lanes) {
    takes = c.rank == c.root;
  }

  void deposit(const shared_piece& part) noexcept {
    std::memcpy(own_data(part.turn), c.from + part.offset, part.bytes);
    if (takes) return;
    tell(part.turn);
    s.ring(c.root);
  }
  bool arrived(const shared_piece& part) noexcept {
    for (; seen_ < c.size; ++seen_) {
      if (seen_ != c.root && !told(seen_, part.turn)) return false;
    }
    return true;
  }
  void take(const shared_piece& part) { fold(c.size - 1, part, c.to + part.offset); }
};

}  // namespace

task reduce_shared(call& c) { return run_shared<shared_reduce>(c); }
constinit const shared_form reduce_shared_form = form_of<shared_reduce>();

}  // namespace atl::coll
