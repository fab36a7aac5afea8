// SPDX-License-Identifier: BSD-3-Clause
//
// Recursive halving: a reduction in which the data that a member is responsible for are halved with
// each exchange, and its reverse, in which they double. In step k groups of members whose numbers
// differ in bit k exchange halves of what both have, and each combines the half that it keeps. So a
// member sends all data but one block in log2(groups) messages, and groups that follow each other
// are combined first, which keeps the order of members.
//
// Members that are near each other, as those of a host are in most jobs, exchange the large halves.
#pragma once

#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/message/blocks.hpp>
#include <atoll/coll/message/folded.hpp>

namespace atl::coll {

/// Consecutive blocks of the data.
struct block_range {
  rank_id first;
  rank_id count;
};

/// Given by value to the tasks below; a block for each group.
struct halving_plan {
  folded group;
  blocks cut;
  std::byte* sum;  // of a member that acts: room for all data; may be c.from

  halving_plan(const call& c, rank_id root, std::byte* sum_place) noexcept
      : group(c.rank, c.size, root),
        cut(c.bytes, group.groups(), c.combine.element_bytes),
        sum(sum_place) {}

  /// The blocks that a group keeps in the step of this bit.
  block_range kept(rank_id number, rank_id bit) const noexcept {
    block_range range{0, group.groups()};
    for (rank_id each = 1; each <= bit; each *= 2) {
      range.count /= 2;
      if ((number & each) != 0) range.first += range.count;
    }
    return range;
  }
  std::size_t offset(const block_range& range) const noexcept { return cut.offset(range.first); }
  std::size_t bytes(const block_range& range) const noexcept {
    return cut.bytes(range.first, range.count);
  }
};

/// Combines `c.from` of all members; afterwards a member that acts has in `plan.sum` the blocks
/// that it kept in the last step. Uses the tags from 0 to 32.
task reduce_by_halving(call& c, halving_plan plan);

/// Ranges of blocks that two members exchange; an empty one is no message.
struct range_exchange {
  rank_id peer;
  rank_id bit;  // of the step in which ranges double again: names the messages
  block_range sent;
  block_range received;
};
/// Begins the exchange of blocks that have their places in `plan.sum`.
void exchange(call& c, transfers& moved, const halving_plan& plan, const range_exchange& step);

/// The tag of the result for the member that does not act.
inline constexpr std::uint32_t unfolding_tag = 66;

}  // namespace atl::coll
