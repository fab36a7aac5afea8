// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions by the last member to arrive. Members form a tree in their order. Of the members that
// arrive at one of its nodes, the last combines the data below it and goes on to the next node; the
// others leave. So each member needs its core only once, however many members share the core, and
// the work runs where the data were just touched. With as many children as members, the last member
// does it all.
//
// A node's partial result lies in the lane of its highest member, so the whole result lies in the
// lane of the last member.
#pragma once

#include <atoll/base/rounding.hpp>
#include <atoll/coll/shared/loop.hpp>

namespace atl::coll {

/// `Algorithm` derives from this. Its wake() wakes the members that wait for the result: the root
/// of a reduce, all of an allreduce.
template <class Algorithm>
class shared_tree : public shared_loop<Algorithm> {
 public:
  using shared_loop<Algorithm>::shared_loop;

  void deposit(const shared_piece& part) {
    copy_bytes(this->own_data(part.turn), this->call_.from + part.offset, part.bytes);
    if (!climb(part)) return;
    shared_lanes::set(result_line(part.turn), part.turn);
    static_cast<Algorithm&>(*this).wake();
  }
  bool arrived(const shared_piece& part) noexcept {
    return shared_lanes::is_set(result_line(part.turn), part.turn);
  }
  void take(const shared_piece& part) noexcept {
    copy_bytes(this->call_.to + part.offset, this->data(this->call_.size - 1, part.turn),
               part.bytes);
  }

 private:
  shared_slot::flagged& result_line(std::uint64_t turn) const noexcept {
    return this->lanes_.slot(this->call_.size - 1, turn).out;
  }

  /// True when this member was the last of all: the result is complete.
  bool climb(const shared_piece& part) {
    const rank_id size = this->call_.size;
    const rank_id radix = std::max(this->call_.radix, 2u);
    unsigned level = 0;
    for (std::uint64_t group = 1; group < size; group *= radix, ++level) {
      const std::uint64_t first = this->call_.rank / (group * radix) * (group * radix);
      const std::uint64_t end = std::min<std::uint64_t>(first + group * radix, size);
      const auto children = static_cast<std::uint32_t>(pieces_of(end - first, group));
      if (children == 1) continue;
      const auto highest = static_cast<rank_id>(end - 1);
      if (!shared_lanes::is_last(this->lanes_.slot(highest, part.turn).arrived[level], children)) {
        return false;
      }
      combine_children(first, group, children, highest, part);
    }
    return true;
  }
  void combine_children(std::uint64_t first, std::uint64_t group, std::uint32_t children,
                        rank_id highest, const shared_piece& part) {
    std::byte* const result = this->data(highest, part.turn);
    for (std::uint32_t child = children - 1; child-- > 0;) {
      const auto end = static_cast<rank_id>(first + (child + 1) * group);
      this->call_.combine(this->data(end - 1, part.turn), result, this->elements(part.bytes));
    }
  }
};

}  // namespace atl::coll
