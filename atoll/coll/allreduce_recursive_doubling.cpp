// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduce in log2(size) exchanges of all data: in step k a member exchanges with the one whose
// number differs in bit k, after which both have the result of 2^(k+1) consecutive members. Where
// size is no power of two, the first members pair up before, and the odd one of each pair acts for
// both. Ranges stay consecutive, so the order of members is kept.
#include <atoll/base/copy.hpp>
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/call.hpp>

#include <bit>
#include <utility>

namespace atl::coll {

namespace {
constexpr std::uint32_t fold_tag = 100, unfold_tag = 101;
}

task allreduce_recursive_doubling(call& c) {
  const rank_id actors = std::bit_floor(c.size);
  const rank_id paired = 2 * (c.size - actors);  // the first so many ranks
  const bool is_paired = c.rank < paired;
  const scratch spare(c.memory(), c.bytes);
  std::byte* sum = c.to;
  std::byte* other = spare.data();
  transfers both;
  if (is_paired && c.rank % 2 == 0) {
    c.send(both, c.rank + 1, fold_tag, c.from, c.bytes);
    co_await both;
    c.receive(both, c.rank + 1, unfold_tag, c.to, c.bytes);
    co_await both;
    co_return;
  }
  if (c.to != c.from) copy_bytes(c.to, c.from, c.bytes);
  if (is_paired) {
    c.receive(both, c.rank - 1, fold_tag, other, c.bytes);
    co_await both;
    c.combine(other, sum, c.count);
  }
  const rank_id number = is_paired ? c.rank / 2 : c.rank - paired / 2;
  std::uint32_t tag = 0;
  for (rank_id bit = 1; bit < actors; bit *= 2, ++tag) {
    const rank_id peer_number = number ^ bit;
    const rank_id peer = 2 * peer_number < paired ? 2 * peer_number + 1 : peer_number + paired / 2;
    c.receive(both, peer, tag, other, c.bytes);
    c.send(both, peer, tag, sum, c.bytes);
    co_await both;
    if (peer_number < number || c.combine.commutative) {
      c.combine(other, sum, c.count);
    } else {
      c.combine(sum, other, c.count);
      std::swap(sum, other);
    }
  }
  if (is_paired) c.send(both, c.rank - 1, unfold_tag, sum, c.bytes);
  if (sum != c.to) copy_bytes(c.to, sum, c.bytes);
  co_await both;
}

}  // namespace atl::coll
