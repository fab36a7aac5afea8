// SPDX-License-Identifier: BSD-3-Clause
//
// Prefix reductions by messages.
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/message/pieces.hpp>
#include <atoll/coll/message/window.hpp>

namespace atl::coll {

// Scan in log2(size) steps: before step k a member has the sum of the 2^k members that end with
// itself; it sends that to the one 2^k further on, and puts what comes from 2^k before in front of
// it. The exclusive result collects only what came.
task scan_doubling(call& c) {
  const scratch held(c.memory(), 3 * c.bytes);
  std::byte* const sum = held.data();       // of members up to and with this one
  std::byte* const prefix = sum + c.bytes;  // of those before this one
  std::byte* const coming = prefix + c.bytes;
  transfers moved;
  bool any_came = false;
  copy_bytes(sum, c.from, c.bytes);
  std::uint32_t tag = 0;
  for (std::uint64_t reach = 1; reach < c.size; reach *= 2, ++tag) {
    const auto distance = static_cast<rank_id>(reach);
    const bool has_source = c.rank >= reach;
    if (has_source) c.receive(moved, c.rank - distance, tag, coming, c.bytes);
    if (c.rank + reach < c.size) c.send(moved, c.rank + distance, tag, sum, c.bytes);
    co_await moved;
    if (!has_source) continue;
    c.combine(coming, sum, c.count);
    if (!c.exclusive) continue;
    if (any_came) {
      c.combine(coming, prefix, c.count);
    } else {
      copy_bytes(prefix, coming, c.bytes);
    }
    any_came = true;
  }
  if (!c.exclusive) {
    copy_bytes(c.to, sum, c.bytes);
  } else if (any_came) {
    copy_bytes(c.to, prefix, c.bytes);
  }
}

// Scan along the chain of members, piece by piece: each combines what comes from the one before
// with its own and passes it on. The least work and traffic; the last member waits for all others.
task scan_chain(call& c) {
  const std::size_t element = c.combine.element_bytes;
  const data_pieces cut(c, element);
  const bool is_first = c.rank == 0;
  const bool is_last = c.rank == c.size - 1;
  const std::size_t room = cut.bytes(0);
  // Room for each piece under way: for what came, and for what goes on.
  const scratch held(c.memory(), 2 * cut.window() * room);
  transfer_window arrived(c, cut.window());
  transfer_window sent(c, cut.window());
  const auto receive = [&](std::uint32_t i) {
    const std::uint32_t slot = i % cut.window();
    c.receive(arrived[slot], c.rank - 1, i, held.data() + 2 * slot * room, cut.bytes(i));
  };
  for (std::uint32_t i = 0; !is_first && i < cut.window(); ++i) receive(i);
  for (std::uint32_t i = 0; i < cut.count(); ++i) {
    const std::uint32_t slot = i % cut.window();
    const std::size_t bytes = cut.bytes(i);
    std::byte* const prefix = held.data() + 2 * slot * room;
    std::byte* const sum = prefix + room;
    std::byte* const to = c.to + cut.offset(i);
    transfers& arrival = arrived[slot];
    transfers& gone = sent[slot];
    co_await arrival;
    co_await gone;
    copy_bytes(sum, c.from + cut.offset(i), bytes);
    if (!is_first) c.combine(prefix, sum, bytes / element);
    if (!is_last) c.send(gone, c.rank + 1, i, sum, bytes);
    if (!c.exclusive) {
      copy_bytes(to, sum, bytes);
    } else if (!is_first) {
      copy_bytes(to, prefix, bytes);
    }
    if (!is_first && i + cut.window() < cut.count()) receive(i + cut.window());
  }
  for (transfers& gone : sent) co_await gone;
}

}  // namespace atl::coll
