// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcast along a chain: each member passes on to the next, from the root on. Every member sends
// the data once, so for data of many segments it moves as fast as one link does; the last member
// waits for as many segments as there are members.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/call.hpp>
#include <atoll/coll/segments.hpp>

#include <atoll/base/copy.hpp>

namespace atl::coll {

task broadcast_chain(call& c) {
  const segments cut(c.bytes, c.segment);
  const rank_id number = (c.rank + c.size - c.root) % c.size;
  const rank_id before = (c.rank + c.size - 1) % c.size;
  const rank_id after = (c.rank + 1) % c.size;
  const bool is_last = number == c.size - 1;
  transfers arrived[segments::window];
  transfers sent;
  if (number == 0) {
    if (c.to != c.from) copy_bytes(c.to, c.from, c.bytes);
  } else {
    for (std::uint32_t i = 0; i < cut.first_window(); ++i) {
      c.receive(arrived[i], before, i, c.to + cut.offset(i), cut.bytes(i));
    }
  }
  for (std::uint32_t i = 0; i < cut.count(); ++i) {
    if (number != 0) {
      transfers& here = arrived[i % segments::window];
      co_await here;
      const std::uint32_t next = i + segments::window;
      if (next < cut.count()) {
        c.receive(here, before, next, c.to + cut.offset(next), cut.bytes(next));
      }
    }
    if (!is_last) c.send(sent, after, i, c.to + cut.offset(i), cut.bytes(i));
  }
  co_await sent;
}

}  // namespace atl::coll
