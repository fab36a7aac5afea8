// SPDX-License-Identifier: BSD-3-Clause
//
// Scan along the chain of members, segment by segment: each combines what comes from the one before
// with its own and passes it on. The least work and traffic; the last member waits for all others.
#include <atoll/base/copy.hpp>
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/call.hpp>
#include <atoll/coll/segments.hpp>

namespace atl::coll {

task scan_chain(call& c) {
  const std::size_t element = c.combine.element_bytes;
  const segments cut(c.bytes, std::max(c.segment / element, std::size_t{1}) * element);
  const bool is_first = c.rank == 0;
  const bool is_last = c.rank == c.size - 1;
  const std::size_t room = cut.bytes(0);
  // Of each segment under way: what came, and what goes on.
  const scratch held(c.memory(), 2 * segments::window * room);
  transfers arrived[segments::window];
  transfers sent[segments::window];
  const auto receive = [&](std::uint32_t i) {
    const std::uint32_t slot = i % segments::window;
    c.receive(arrived[slot], c.rank - 1, i, held.data() + 2 * slot * room, cut.bytes(i));
  };
  for (std::uint32_t i = 0; !is_first && i < cut.first_window(); ++i) receive(i);
  for (std::uint32_t i = 0; i < cut.count(); ++i) {
    const std::uint32_t slot = i % segments::window;
    const std::size_t bytes = cut.bytes(i);
    std::byte* const before = held.data() + 2 * slot * room;
    std::byte* const with = before + room;
    std::byte* const to = c.to + cut.offset(i);
    transfers& here = arrived[slot];
    transfers& gone = sent[slot];
    co_await here;
    co_await gone;
    copy_bytes(with, c.from + cut.offset(i), bytes);
    if (!is_first) c.combine(before, with, bytes / element);
    if (!is_last) c.send(gone, c.rank + 1, i, with, bytes);
    if (!c.exclusive) {
      copy_bytes(to, with, bytes);
    } else if (!is_first) {
      copy_bytes(to, before, bytes);
    }
    if (!is_first && i + segments::window < cut.count()) receive(i + segments::window);
  }
  for (transfers& gone : sent) co_await gone;
}

}  // namespace atl::coll
