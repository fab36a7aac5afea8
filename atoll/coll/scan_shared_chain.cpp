// SPDX-License-Identifier: BSD-3-Clause
//
// Scan within a host, piece by piece from each member to the next: a member's lane holds the
// contributions up to its own, combined.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/shared_loop.hpp>

namespace atl::coll {

namespace {

class chain_scan : public shared_member {
 public:
  using shared_member::shared_member;

  bool advance() {
    for (; ended_ < cut.count; ++ended_) {
      const shared_piece part = piece(ended_);
      if (c.rank != 0 && !told(c.rank - 1, part.turn)) return false;
      if (!s.room(part.turn)) return false;
      pass_on(part);
      finish(part.turn);
    }
    return true;
  }

 private:
  void pass_on(const shared_piece& part) {
    std::byte* const own = own_data(part.turn);
    std::byte* const to = c.to + part.offset;
    std::memcpy(own, c.from + part.offset, part.bytes);
    if (c.rank != 0) {
      const std::byte* const before = data(c.rank - 1, part.turn);
      c.combine(before, own, elements(part.bytes));
      if (c.exclusive) std::memcpy(to, before, part.bytes);
    }
    if (!c.exclusive) std::memcpy(to, own, part.bytes);
    if (c.rank + 1 == c.size) return;
    tell(part.turn);
    s.ring(c.rank + 1);
  }

  std::uint32_t ended_ = 0;
};

}  // namespace

task scan_shared_chain(call& c) { return run_shared<chain_scan>(c); }
constinit const shared_form scan_shared_chain_form = form_of<chain_scan>();

}  // namespace atl::coll
