// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduce of large data within a host where each member has a core. Each piece is split among
// the members: all put into their lanes what the others are to combine, each combines its part of
// all contributions, and all collect the parts. Two steps, and the work is divided evenly.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/blocks.hpp>
#include <atoll/coll/shared_loop.hpp>

namespace atl::coll {

namespace {

class split_allreduce : public shared_member {
 public:
  using shared_member::shared_member;

  bool advance() {
    while (taken_ < cut.count) {
      if (!go_take() && !go_combine() && !go_deposit()) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t ahead = 4;

  blocks parts_of(const shared_piece& part) const noexcept {
    return {part.bytes, c.size, c.combine.element_bytes};
  }

  bool go_deposit() noexcept {
    if (deposited_ == cut.count || deposited_ - taken_ == ahead) return false;
    const shared_piece part = piece(deposited_);
    if (!s.room(part.turn)) return false;
    const blocks parts = parts_of(part);
    std::byte* const lane = own_data(part.turn);
    const std::byte* const from = c.from + part.offset;
    const std::size_t mine = parts.offset(c.rank), behind = parts.offset(c.rank + 1);
    std::memcpy(lane, from, mine);
    std::memcpy(lane + behind, from + behind, part.bytes - behind);
    tell(part.turn);
    s.ring_others();
    ++deposited_;
    return true;
  }

  // Into the place of the own part in the own lane, which the deposit has left free.
  bool go_combine() {
    if (combined_ == deposited_) return false;
    const shared_piece part = piece(combined_);
    while (given_ < c.size && told(given_, part.turn)) ++given_;
    if (given_ < c.size) return false;
    const blocks parts = parts_of(part);
    const std::size_t at = parts.offset(c.rank), bytes = parts.bytes(c.rank);
    std::byte* const result = own_data(part.turn) + at;
    const std::byte* const own = c.from + part.offset + at;
    const auto contribution = [&](rank_id member) {
      return member == c.rank ? own : data(member, part.turn) + at;
    };
    if (bytes != 0) {
      std::memcpy(result, contribution(c.size - 1), bytes);
      for (rank_id member = c.size - 1; member-- > 0;) {
        c.combine(contribution(member), result, elements(bytes));
      }
    }
    tell(part.turn, 2);
    s.ring_others();
    given_ = 0;
    ++combined_;
    return true;
  }

  bool go_take() noexcept {
    if (taken_ == combined_) return false;
    const shared_piece part = piece(taken_);
    if (!all_told(c.size, part.turn, 2)) return false;
    const blocks parts = parts_of(part);
    for (rank_id member = 0; member < c.size; ++member) {
      const std::size_t at = parts.offset(member);
      std::memcpy(c.to + part.offset + at, data(member, part.turn) + at, parts.bytes(member));
    }
    finish(part.turn);
    ++taken_;
    return true;
  }

  std::uint32_t deposited_ = 0;
  std::uint32_t combined_ = 0;
  std::uint32_t taken_ = 0;
  rank_id given_ = 0;  // members that have deposited the piece to be combined
};

}  // namespace

task allreduce_shared_split(call& c) { return run_shared<split_allreduce>(c); }
constinit const shared_form allreduce_shared_split_form = form_of<split_allreduce>();

}  // namespace atl::coll
