// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcast down a k-nomial tree. Numbered from the root, a member's parent is the number with its
// lowest digit that is not 0, in base `radix`, set to 0; so each member serves its largest subtree
// first. Large data go in segments, several of them under way, and a segment is passed on while the
// next ones arrive.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/call.hpp>
#include <atoll/coll/knomial.hpp>
#include <atoll/coll/segments.hpp>

#include <atoll/base/copy.hpp>

namespace atl::coll {

task broadcast_tree(call& c) {
  const knomial place(c.rank, c.size, c.root, c.radix);
  const segments cut(c.bytes, c.segment);
  transfers arrived[segments::window];
  transfers sent;
  if (place.is_root()) {
    if (c.to != c.from) copy_bytes(c.to, c.from, c.bytes);
  } else {
    for (std::uint32_t i = 0; i < cut.first_window(); ++i) {
      c.receive(arrived[i], place.parent(), i, c.to + cut.offset(i), cut.bytes(i));
    }
  }
  for (std::uint32_t i = 0; i < cut.count(); ++i) {
    if (!place.is_root()) {
      transfers& here = arrived[i % segments::window];
      co_await here;
      const std::uint32_t next = i + segments::window;
      if (next < cut.count()) {
        c.receive(here, place.parent(), next, c.to + cut.offset(next), cut.bytes(next));
      }
    }
    for (knomial::child each = place.first_child(); each.exists(); each = place.after(each)) {
      c.send(sent, each.rank, i, c.to + cut.offset(i), cut.bytes(i));
    }
  }
  co_await sent;
}

}  // namespace atl::coll
