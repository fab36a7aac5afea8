// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions to all members over the memory that the members of a host share: by every member for
// itself, by the last to arrive at each node of a tree, or with the data split among the members.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/message/blocks.hpp>
#include <atoll/coll/shared/loop.hpp>
#include <atoll/coll/shared/tree.hpp>

namespace atl::coll {

namespace {

// All-reduce within a host where each member has a core: all write their contributions into their
// lanes, and each combines all of them for itself. One crossing between cores, and no member waits
// for what another one does with the data.
class shared_allreduce : public shared_loop<shared_allreduce> {
 public:
  using shared_loop::shared_loop;

  void deposit(const shared_piece& part) noexcept {
    copy_bytes(own_data(part.turn), call_.from + part.offset, part.bytes);
    mark_ready(part.turn);
    lanes_.ring_others();
  }
  bool arrived(const shared_piece& part) noexcept { return all_ready(call_.size, part.turn); }
  void take(const shared_piece& part) {
    if (call_.size == 2) return take_of_two(part);
    fold(call_.size - 1, part, call_.to + part.offset);
  }

 private:
  // With two members each is the only reader of the other's lane, and may combine there. Copying a
  // contribution out of its lane and combining into the copy takes longer.
  void take_of_two(const shared_piece& part) {
    std::byte* const to = call_.to + part.offset;
    const std::byte* const own = call_.from + part.offset;
    std::byte* const other = data(1 - call_.rank, part.turn);
    if (call_.rank == 0) {
      call_.combine(own, other, elements(part.bytes));
      copy_bytes(to, other, part.bytes);
    } else {
      if (to != own) copy_bytes(to, own, part.bytes);
      call_.combine(other, to, elements(part.bytes));
    }
  }
};

}  // namespace

constinit const shared_form allreduce_shared = form_of<shared_allreduce>();

namespace {

// All-reduce within a host by the last member to arrive, see tree.hpp.
class tree_allreduce : public shared_tree<tree_allreduce> {
 public:
  using shared_tree::shared_tree;
  void wake() const noexcept { lanes_.ring_others(); }
};

}  // namespace

constinit const shared_form allreduce_shared_tree = form_of<tree_allreduce>();

namespace {

// All-reduce of large data within a host where each member has a core. Each piece is split among
// the members: all put into their lanes what the others are to combine, each combines its part of
// all contributions, and all collect the parts. Two steps, and the work is divided evenly.
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
    return {part.bytes, call_.size, call_.combine.element_bytes};
  }

  bool go_deposit() noexcept {
    if (deposited_ == cut.count || deposited_ - taken_ == ahead) return false;
    const shared_piece part = piece(deposited_);
    if (!lanes_.room(part.turn, cut.in_line)) return false;
    const blocks parts = parts_of(part);
    std::byte* const lane = own_data(part.turn);
    const std::byte* const from = call_.from + part.offset;
    const std::size_t own_offset = parts.offset(call_.rank), behind = parts.offset(call_.rank + 1);
    copy_bytes(lane, from, own_offset);
    copy_bytes(lane + behind, from + behind, part.bytes - behind);
    mark_ready(part.turn);
    lanes_.ring_others();
    ++deposited_;
    return true;
  }

  // Combines into this member's part of its own lane, which the deposit has left free.
  bool go_combine() {
    if (combined_ == deposited_) return false;
    const shared_piece part = piece(combined_);
    while (given_ < call_.size && is_ready(given_, part.turn)) ++given_;
    if (given_ < call_.size) return false;
    const blocks parts = parts_of(part);
    const std::size_t offset = parts.offset(call_.rank), bytes = parts.bytes(call_.rank);
    std::byte* const result = own_data(part.turn) + offset;
    const std::byte* const own = call_.from + part.offset + offset;
    const auto contribution = [&](rank_id member) {
      return member == call_.rank ? own : data(member, part.turn) + offset;
    };
    if (bytes != 0) {
      copy_bytes(result, contribution(call_.size - 1), bytes);
      for (rank_id member = call_.size - 1; member-- > 0;) {
        call_.combine(contribution(member), result, elements(bytes));
      }
    }
    mark_ready(part.turn, 2);
    lanes_.ring_others();
    given_ = 0;
    ++combined_;
    return true;
  }

  bool go_take() noexcept {
    if (taken_ == combined_) return false;
    const shared_piece part = piece(taken_);
    if (!all_ready(call_.size, part.turn, 2)) return false;
    const blocks parts = parts_of(part);
    for (rank_id member = 0; member < call_.size; ++member) {
      const std::size_t offset = parts.offset(member);
      copy_bytes(call_.to + part.offset + offset, data(member, part.turn) + offset,
                 parts.bytes(member));
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

constinit const shared_form allreduce_shared_split = form_of<split_allreduce>();

}  // namespace atl::coll
