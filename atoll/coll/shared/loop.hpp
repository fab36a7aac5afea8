// SPDX-License-Identifier: BSD-3-Clause
//
// How an algorithm over shared memory runs. It is not a chain of waits but one object that
// advances whenever this rank makes progress: a member with data to give puts pieces into its
// lane as long as there is room, and takes the oldest piece when everything that the piece needs
// has arrived.
//
// An algorithm derives from `shared_loop<itself>` and has
//     void deposit(const shared_piece&)   puts this member's part there and tells those who wait
//     bool arrived(const shared_piece&)   whether all is there that take() reads; asked repeatedly
//     void take(const shared_piece&)      brings it to the caller
// and says with `deposits` and `takes` what this member does.
#pragma once

#include <atoll/base/assert.hpp>
#include <atoll/base/copy.hpp>
#include <atoll/coll/shared/lanes.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>
#include <cstdint>
#include <new>
#include <type_traits>

namespace atl::coll {

/// Part of the data of a call, and the turn that it goes with.
struct shared_piece {
  std::uint64_t turn;
  std::size_t offset;
  std::size_t bytes;
};

class shared_member {
 public:
  shared_member(call& call, shared_lanes& lanes) noexcept
      : call_(call), lanes_(lanes), cut(cut_of(call)) {
    ATOLL_ASSERT(call_.turn + cut.count <= call_.turns_end,
                 "a part of a collective takes more turns of the host's lanes than are reserved",
                 name_of(call_.kind), call_.bytes, call_.turn, cut.count, call_.turns_end);
    // Turns that an earlier phase has left unused are over.
    if (call_.op->turn < call_.turn) call_.state->end_turn(*call_.op, call_.turn - 1);
  }

 protected:
  shared_piece piece(std::uint32_t i) const noexcept {
    const std::size_t offset = i * cut.piece;
    return {.turn = call_.turn + i,
            .offset = offset,
            .bytes = std::min(cut.piece, call_.bytes - offset)};
  }
  /// Where a member's data of a turn are.
  std::byte* data(rank_id member, std::uint64_t turn) const noexcept {
    return cut.in_line ? lanes_.slot(member, turn).out.data : lanes_.lane(member).block(turn);
  }
  std::byte* own_data(std::uint64_t turn) const noexcept { return data(call_.rank, turn); }

  /// Says that this member's data of the turn are in its lane, for others to read.
  void mark_ready(std::uint64_t turn, unsigned step = 1) noexcept {
    shared_lanes::set(lanes_.slot(call_.rank, turn).out, turn, step);
  }
  bool is_ready(rank_id member, std::uint64_t turn, unsigned step = 1) const noexcept {
    return shared_lanes::is_set(lanes_.slot(member, turn).out, turn, step);
  }
  /// Whether the data of the members from seen_ to before `end` are there.
  bool all_ready(rank_id end, std::uint64_t turn, unsigned step = 1) noexcept {
    while (seen_ < end && is_ready(seen_, turn, step)) ++seen_;
    return seen_ == end;
  }

  /// Elements of a reduction.
  std::size_t elements(std::size_t bytes) const noexcept {
    return bytes / call_.combine.element_bytes;
  }
  /// The contributions of members 0 to `last` to a piece, combined in order into `to`.
  void fold(rank_id last, const shared_piece& part, std::byte* to) const {
    copy_bytes(to, data(last, part.turn), part.bytes);
    for (rank_id member = last; member-- > 0;) {
      call_.combine(data(member, part.turn), to, elements(part.bytes));
    }
  }

  void finish(std::uint64_t turn) noexcept {
    seen_ = 0;
    call_.state->end_turn(*call_.op, turn);
  }

  call& call_;
  shared_lanes& lanes_;
  shared_cut cut;
  rank_id seen_ = 0;
};

template <class Algorithm>
class shared_loop : public shared_member {
 public:
  shared_loop(call& call, shared_lanes& lanes) noexcept
      : shared_member(call, lanes),
        // A member with a core of its own keeps few pieces under way, which stay in the caches;
        // one that shares its core fills all blocks while it has the core.
        ahead_(call.whole_team->owner().is_oversubscribed() ? shared_lane::block_count : 4) {}

  /// Goes on as far as it can; true when this member's part is complete.
  bool advance() noexcept {
    Algorithm& self = static_cast<Algorithm&>(*this);
    while (taken_ < cut.count) {
      if (go_take(self)) continue;
      if (!go_deposit(self)) return false;
    }
    return true;
  }

 protected:
  bool deposits = true;
  bool takes = true;

 private:
  bool go_take(Algorithm& self) noexcept {
    if (deposits && taken_ == deposited_) return false;
    const shared_piece part = piece(taken_);
    if (takes) {
      if (!self.arrived(part)) return false;
      self.take(part);
    }
    finish(part.turn);
    ++taken_;
    return true;
  }
  bool go_deposit(Algorithm& self) noexcept {
    if (!deposits || deposited_ == cut.count || deposited_ - taken_ == ahead_) return false;
    const shared_piece part = piece(deposited_);
    if (!lanes_.room(part.turn, cut.in_line)) return false;
    self.deposit(part);
    ++deposited_;
    return true;
  }

  std::uint64_t ahead_;
  std::uint32_t deposited_ = 0;
  std::uint32_t taken_ = 0;
};

template <class Algorithm>
constexpr shared_form form_of() noexcept {
  static_assert(sizeof(Algorithm) <= shared_form::bytes_max && alignof(Algorithm) <= cache_line &&
                std::is_trivially_destructible_v<Algorithm>);
  return {.make = [](void* object, call& call,
                     shared_lanes& lanes) noexcept { new (object) Algorithm(call, lanes); },
          .advance = [](void* object) { return static_cast<Algorithm*>(object)->advance(); }};
}

/// Runs an algorithm as a task: for calls that are fenced, or a phase of a hierarchical one.
task run_shared(call& c, const shared_form& form);

}  // namespace atl::coll
