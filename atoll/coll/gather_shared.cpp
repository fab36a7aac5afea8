// SPDX-License-Identifier: BSD-3-Clause
//
// Gather within a host: every member writes its block into its lane and goes on; the root copies
// each as it comes.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/shared_loop.hpp>

namespace atl::coll {

namespace {

class shared_gather : public shared_loop<shared_gather> {
 public:
  shared_gather(call& at, shared_lanes& lanes) noexcept : shared_loop(at, lanes) {
    takes = c.rank == c.root;
    deposits = !takes;
  }

  void deposit(const shared_piece& part) noexcept {
    std::memcpy(own_data(part.turn), c.from + part.offset, part.bytes);
    tell(part.turn);
    s.ring(c.root);
  }
  bool arrived(const shared_piece& part) noexcept {
    for (; seen_ < c.size; ++seen_) {
      if (seen_ != c.rank && !told(seen_, part.turn)) return false;
      std::byte* const to = c.to + seen_ * c.bytes + part.offset;
      const std::byte* const from = seen_ == c.rank ? c.from + part.offset : data(seen_, part.turn);
      if (to != from) std::memcpy(to, from, part.bytes);
    }
    return true;
  }
  void take(const shared_piece&) const noexcept {}  // done while they arrived
};

}  // namespace

task gather_shared(call& c) { return run_shared<shared_gather>(c); }
constinit const shared_form gather_shared_form = form_of<shared_gather>();

}  // namespace atl::coll
