// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that the algorithms over shared memory share within one host: a lane per member of the
// team, which lies in that member's part of the runtime's internal heap and is mapped by all. A
// lane is a ring of slots. A call uses one slot of every lane per piece of its data, chosen by its
// turn; so as many pieces may be under way as there are slots, of one call or of many. Data that do
// not fit beside a flag lie in blocks, of which there are fewer, so that they stay in the caches.
//
// The rule that keeps it right: no member touches the slots of a turn before room(turn, ...) is
// true. Then all members are done with the earlier turn that used the same slots and blocks. A
// member is done with a turn when it will not read any lane for it again.
// Flags hold the turn, so they only grow and are never reset. A line of a slot has one writer at a
// time. Where the last member to arrive does the work of all, it may write other members' lines;
// the counters order those writes. So may a member that is the only reader of a lane; flag and turn
// order those.
//
// Lanes are made by the first call of a team that wants them. When a member has no memory for its
// own, all members on the host see it and use messages from then on.
//
// With many members on a host most of the cost is in pages: the first touch of another member's
// memory is a fault. So the counts of finished turns of all members lie together in a directory,
// and a member rings the others, each in its own memory, only when one of them may wait.
//
// Threads: one of a rank at a time, as for tasks.
#pragma once

#include <atoll/base/system/cpu.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/team/member_bells.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace atl::memory {
class heap;
}

namespace atl::coll {

/// Two lines that members poll, with a little data beside the flag, and one of counters. A flag is
/// stored with release and loaded with acquire: what was written before it is visible.
struct shared_slot {
  static constexpr std::size_t data_bytes = 56;
  static constexpr std::size_t counters = 16;

  struct alignas(cache_line) flagged {
    std::byte data[data_bytes];
    std::atomic<std::uint64_t> flag;
  };
  flagged out;   // written by the owner
  flagged back;  // written by the last member to arrive
  /// Arrivals, by level of a tree; the last to arrive at one sets it to 0 again.
  alignas(2 * cache_line) std::atomic<std::uint32_t> arrived[counters];
};

/// One member's lane. The blocks follow it. Where members share cores, one of them runs ahead until
/// no slot is free and then gives its core away, which more slots make rarer.
struct shared_lane {
  static constexpr std::uint64_t slot_count = 128;
  static constexpr std::uint64_t block_count = 32;
  static constexpr std::size_t block_bytes = 16384;

  alignas(2 * cache_line) shared_slot slots[slot_count];

  static constexpr std::size_t bytes() noexcept {
    return sizeof(shared_lane) + block_count * block_bytes;
  }
  shared_slot& slot(std::uint64_t turn) noexcept { return slots[turn % slot_count]; }
  std::byte* block(std::uint64_t turn) noexcept {
    return reinterpret_cast<std::byte*>(this + 1) + turn % block_count * block_bytes;
  }
};

/// The data of a call, cut into pieces of one turn each. In a reduction `bytes` are of the whole,
/// otherwise of one block; a piece of a scatter or an alltoall is that part of every block.
struct shared_cut {
  std::size_t piece = 0;
  std::uint32_t count = 0;
  bool in_line = false;  // the data of a member fit beside the flag
};
shared_cut cut_of(const call& call) noexcept;

/// Most turns that a phase of the call on this host takes, 0 when it has only one member. `phases`
/// is how many the algorithm has there.
std::uint32_t turns_of(const call& call, std::uint32_t phases) noexcept;

/// The reason why the shared algorithms cannot do this call; empty when they can.
std::string_view obstacle_to_sharing(const call& call) noexcept;

class shared_lanes final : public team_part {
 public:
  /// Lanes for the members of the call, all of whom are on this host.
  explicit shared_lanes(const call& call);
  ~shared_lanes() override;

  /// Whether all members have their lanes, or one has none.
  bool settled() const noexcept { return settled_; }
  bool refused() const noexcept { return refused_; }
  /// Goes on making the lanes; true when settled. Called again and again, does not wait.
  bool settle() noexcept;

  shared_lane& lane(rank_id member) const noexcept {
    if (!list_.empty()) [[unlikely]]
      return *list_[member];
    return *reinterpret_cast<shared_lane*>(member == 0 ? first_ : even_place(member));
  }
  shared_slot& slot(rank_id member, std::uint64_t turn) const noexcept {
    return lane(member).slot(turn);
  }

  /// Whether the slots of this turn are free, and its blocks unless its data are in line.
  bool room(std::uint64_t turn, bool in_line) noexcept {
    const std::uint64_t count = in_line ? shared_lane::slot_count : shared_lane::block_count;
    return turn < done_by_all_ + count || look_for_room(turn, count);
  }

  /// A flag's value: step 1 to 3 of a turn.
  static constexpr std::uint64_t mark(std::uint64_t turn, unsigned step) noexcept {
    return (turn + 1) * 4 + step;
  }
  /// Whether the flag has reached this step of the turn. Pairs with set().
  static bool is_set(const shared_slot::flagged& line, std::uint64_t turn,
                     unsigned step = 1) noexcept {
    return line.flag.load(std::memory_order_acquire) >= mark(turn, step);
  }
  static void set(shared_slot::flagged& line, std::uint64_t turn, unsigned step = 1) noexcept {
    line.flag.store(mark(turn, step), std::memory_order_release);
  }

  /// Counts one of `expected` arrivals; true for the last one, which sees what all did before.
  static bool is_last(std::atomic<std::uint32_t>& counter, std::uint32_t expected) noexcept {
    if (counter.fetch_add(1, std::memory_order_acq_rel) + 1 != expected) return false;
    counter.store(0, std::memory_order_relaxed);  // published by the flag that follows
    return true;
  }

  /// Wakes members that sleep, after their flag was set.
  void ring(rank_id member) const noexcept { bells_[member].ring(); }
  void ring_others() const noexcept { bells_.ring_others(rank_); }

  /// This member is done with all turns before `end`.
  void turns_done(std::uint64_t end) noexcept override;

 private:
  /// A member in the directory of lanes.
  struct directory_row {
    alignas(2 * cache_line) std::atomic<std::uint64_t> place;  // as in team_block::collectives
    /// All turns before this are over for the member; updated from time to time.
    std::atomic<std::uint64_t> done;
  };
  /// The directory, which lies in the heap of the first member; the rows follow it.
  struct directory {
    alignas(2 * cache_line) std::atomic<std::uint32_t> known_lanes;  // members whose place is known
    alignas(2 * cache_line) std::atomic<std::uint32_t> has_waiter;   // for room

    directory_row& row(rank_id member) noexcept {
      return reinterpret_cast<directory_row*>(this + 1)[member];
    }
  };
  static constexpr std::uint64_t unknown = 0, absent = 1;
  static constexpr std::uint64_t granule = shared_lane::block_count / 4;

  // Of any member but the first. Distances wrap: members may be in descending order.
  std::uintptr_t even_place(rank_id member) const noexcept {
    return second_ + (member - 1) * distance_;
  }
  bool look_for_room(std::uint64_t turn, std::uint64_t count) noexcept;
  std::uint64_t least_done() const noexcept;
  bool find_directory() noexcept;
  void make_lane() noexcept;
  void note_places() noexcept;
  std::byte* base() const noexcept;
  std::uint64_t place_of(void* made) const noexcept;

  runtime& owner_;
  team_block* block_;
  rank_id rank_;
  rank_id size_;
  std::uint64_t turns_before_;  // over when this was made
  bool settled_ = false;
  bool refused_ = false;
  directory* directory_ = nullptr;
  void* own_directory_ = nullptr;
  shared_lane* own_ = nullptr;
  bool is_lane_known_ = false;     // of the own lane
  std::uint64_t done_by_all_ = 0;  // turns before this, as far as seen
  std::uint64_t done_told_ = 0;
  // Lanes mostly lie at even distances but for the first, whose owner has more in its heap.
  std::uintptr_t first_ = 0;
  std::uintptr_t second_ = 0;
  std::uintptr_t distance_ = 0;
  std::vector<shared_lane*> list_;  // by member; empty while that is so
  member_bells bells_;
};

/// The lanes of the call's host, made when they are first asked for.
inline shared_lanes& lanes_of(call& call) {
  std::unique_ptr<team_part>& part = call.state->shared;
  if (!part) part = std::make_unique<shared_lanes>(call);
  return static_cast<shared_lanes&>(*part);
}

}  // namespace atl::coll
