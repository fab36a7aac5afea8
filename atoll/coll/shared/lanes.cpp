// SPDX-License-Identifier: BSD-3-Clause
//
// Making lanes, and the count of turns. The first member makes a directory and publishes its
// place in the team's block; each member makes its lane and publishes that in the directory. No
// member waits here: settle() is called again until all lanes are published.
#include <atoll/coll/shared/lanes.hpp>

#include <atoll/base/rounding.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>
#include <cstring>
#include <new>

namespace atl::coll {

namespace {

constexpr std::size_t block_bytes = shared_lane::block_bytes;
constexpr rank_id members_max = 128;  // of an alltoall or a scatter: two lines of a block for each

bool has_block_per_member(collective kind) noexcept {
  return kind == collective::alltoall || kind == collective::scatter;
}

// The size of a piece of one block, or of the data of all members. Medium data are cut into a few
// pieces, so that members copy at the same time; whole slots are used when members take turns on
// the cores anyway.
std::size_t broadcast_piece(std::size_t bytes, bool oversubscribed) noexcept {
  constexpr std::size_t least = 4096;
  if (oversubscribed || bytes <= least) return block_bytes;
  const std::size_t quarter = round_up(bytes / 4, cache_line);
  return std::clamp(quarter, least, block_bytes);
}

shared_cut cut(const call& call, collective kind, std::size_t bytes, rank_id members) noexcept {
  const bool per_member = has_block_per_member(kind);
  const std::size_t total_bytes = per_member ? bytes * members : bytes;
  if (total_bytes <= shared_slot::data_bytes) return {.piece = bytes, .count = 1, .in_line = true};
  std::size_t piece = block_bytes;
  if (per_member) {
    piece = std::min(bytes, block_bytes / members / cache_line * cache_line);
  } else if (kind == collective::broadcast) {
    piece = broadcast_piece(bytes, call.whole_team->owner().is_oversubscribed());
  } else if (call.combine.element_bytes != 0) {
    piece = block_bytes / call.combine.element_bytes * call.combine.element_bytes;
  }
  return {.piece = piece, .count = static_cast<std::uint32_t>(pieces_of(bytes, piece))};
}

}  // namespace

shared_cut cut_of(const call& call) noexcept { return cut(call, call.kind, call.bytes, call.size); }

std::uint32_t turns_of(const call& call, std::uint32_t phases) noexcept {
  const rank_id members = call.whole_team->hosts().local_count();
  if (members == 1) return 0;
  // A leader of an all-to-all gathers the blocks of each member for all, which more members may do
  // than scatter, and scatters as many, which takes more turns.
  const bool by_leaders = phases > 1 && call.kind == collective::alltoall;
  class call first_phase = call;
  if (by_leaders) first_phase.kind = collective::gather;
  if (!obstacle_to_sharing(first_phase).empty()) return 0;
  if (by_leaders) {
    // Blocks for more members than that come by messages.
    const collective longer = members > members_max ? collective::gather : collective::scatter;
    return cut(call, longer, call.bytes * call.size, members).count;
  }
  const std::uint32_t own = cut(call, call.kind, call.bytes, members).count;
  if (phases == 1) return own;
  // Algorithms of two phases give data back to the members: an allgather the blocks of all.
  const std::size_t shared_bytes =
      call.kind == collective::allgather ? call.bytes * call.size : call.bytes;
  return std::max(own, cut(call, collective::broadcast, shared_bytes, members).count);
}

std::string_view obstacle_to_sharing(const call& call) noexcept {
  if (!layer_access::direct_allowed(call.whole_team->owner()))
    return "direct access to shared memory is off";
  if (call.whole_team->host_block() == nullptr) return "the team has no shared memory";
  if (call.combine.element_bytes > block_bytes) return "the elements are too large for it";
  if (has_block_per_member(call.kind) && call.whole_team->hosts().local_count() > members_max) {
    return "too many members for it";
  }
  return {};
}

shared_lanes::shared_lanes(const call& call)
    : owner_(call.whole_team->owner()),
      block_(call.whole_team->host_block()),
      rank_(call.rank),
      size_(call.size),
      turns_before_(call.state->turns_over()) {
  for (rank_id member = 0; member < size_; ++member)
    bells_.add(layer_access::host_memory(owner_).page(call.job_rank(member)).bell);
}

shared_lanes::~shared_lanes() {
  layer_access::internal_heap(owner_).free(own_);
  layer_access::internal_heap(owner_).free(own_directory_);
}

std::byte* shared_lanes::base() const noexcept {
  return reinterpret_cast<std::byte*>(&layer_access::host_memory(owner_).header());
}

std::uint64_t shared_lanes::place_of(void* made) const noexcept {
  if (made == nullptr) return absent;
  return static_cast<std::uint64_t>(static_cast<std::byte*>(made) - base());
}

bool shared_lanes::find_directory() noexcept {
  // Acquire: pairs with the release of the first member, whose directory is whole.
  std::uint64_t place = block_->collectives.load(std::memory_order_acquire);
  if (place == unknown && rank_ == 0) {
    const std::size_t bytes = sizeof(directory) + size_ * sizeof(directory_row);
    own_directory_ = layer_access::internal_heap(owner_).allocate(bytes, alignof(directory));
    if (own_directory_ != nullptr) std::memset(own_directory_, 0, bytes);
    place = place_of(own_directory_);
    block_->collectives.store(place, std::memory_order_release);  // pairs with the acquire above
    ring_others();
  }
  if (place == absent) settled_ = refused_ = true;
  if (place <= absent) return settled_;
  directory_ = reinterpret_cast<directory*>(base() + place);
  return true;
}

void shared_lanes::make_lane() noexcept {
  is_lane_known_ = true;
  void* const memory =
      layer_access::internal_heap(owner_).allocate(shared_lane::bytes(), alignof(shared_lane));
  if (memory != nullptr) {
    std::memset(memory, 0, sizeof(shared_lane));  // a valid empty state; blocks need none
    own_ = reinterpret_cast<shared_lane*>(memory);
    done_told_ = turns_before_ / granule;
  }
  directory_row& own_row = directory_->row(rank_);
  own_row.done.store(turns_before_, std::memory_order_relaxed);
  own_row.place.store(place_of(own_), std::memory_order_release);  // pairs with settle()
  // No member can go on before the last has come; its count comes after the places of all.
  if (directory_->known_lanes.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) ring_others();
}

bool shared_lanes::settle() noexcept {
  if (settled_) return true;
  if (directory_ == nullptr && !find_directory()) return false;
  if (settled_) return true;
  if (!is_lane_known_) make_lane();
  // Acquire, here and below: pairs with make_lane() of each member, whose lane is whole.
  if (directory_->known_lanes.load(std::memory_order_acquire) != size_) return false;
  for (rank_id member = 0; member < size_ && !refused_; ++member)
    refused_ = directory_->row(member).place.load(std::memory_order_acquire) == absent;
  if (!refused_) note_places();
  settled_ = true;
  return true;
}

void shared_lanes::note_places() noexcept {
  // Relaxed: settle() has read them.
  const auto place_of_lane = [&](rank_id member) {
    return reinterpret_cast<std::uintptr_t>(base()) +
           directory_->row(member).place.load(std::memory_order_relaxed);
  };
  first_ = place_of_lane(0);
  if (size_ == 1) return;
  second_ = place_of_lane(1);
  if (size_ > 2) distance_ = place_of_lane(2) - second_;
  rank_id even = 1;
  while (even < size_ && place_of_lane(even) == even_place(even)) ++even;
  if (even == size_) return;
  list_.reserve(size_);
  for (rank_id member = 0; member < size_; ++member)
    list_.push_back(reinterpret_cast<shared_lane*>(place_of_lane(member)));
}

// Acquire: pairs with turns_done() of each member; its reads of those turns are over.
std::uint64_t shared_lanes::least_done() const noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  for (rank_id member = 0; member < size_; ++member)
    least = std::min(least, directory_->row(member).done.load(std::memory_order_acquire));
  return least;
}

// Says that it waits, and looks again: either it sees what the others have done meanwhile, or they
// see that it waits. The exchange pairs with that of turns_done().
bool shared_lanes::look_for_room(std::uint64_t turn, std::uint64_t count) noexcept {
  done_by_all_ = least_done();
  if (turn < done_by_all_ + count) return true;
  if (directory_->has_waiter.load(std::memory_order_acquire) == 0)
    directory_->has_waiter.exchange(1, std::memory_order_seq_cst);
  done_by_all_ = least_done();
  return turn < done_by_all_ + count;
}

void shared_lanes::turns_done(std::uint64_t end) noexcept {
  if (end / granule == done_told_ || own_ == nullptr) return;
  done_told_ = end / granule;
  // Exchanges are full fences: see look_for_room().
  directory_->row(rank_).done.exchange(end, std::memory_order_seq_cst);
  if (directory_->has_waiter.load(std::memory_order_relaxed) != 0 &&
      directory_->has_waiter.exchange(0, std::memory_order_seq_cst) != 0)
    ring_others();
}

}  // namespace atl::coll
