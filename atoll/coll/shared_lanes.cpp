// SPDX-License-Identifier: BSD-3-Clause
//
// Making lanes, and the count of turns. The first member makes a directory and tells its place in
// the team's block; each member makes its lane and tells it in the directory. Nobody waits here:
// settle() is asked again until all have told.
#include <atoll/coll/shared_lanes.hpp>

#include <atoll/core/runtime.hpp>

#include <algorithm>
#include <cstring>
#include <new>

namespace atl::coll {

namespace {

constexpr std::size_t block_bytes = shared_lane::block_bytes;
constexpr rank_id members_max = 128;  // of an alltoall or a scatter: two lines of a block for each

bool has_block_per_member(collective what) noexcept {
  return what == collective::alltoall || what == collective::scatter;
}

// Pieces of one block, or of the data of all. A few pieces of medium data, so that members copy at
// the same time; whole slots when they take turns on the cores anyway.
std::size_t broadcast_piece(std::size_t bytes, bool crowded) noexcept {
  constexpr std::size_t least = 4096;
  if (crowded || bytes <= least) return block_bytes;
  const std::size_t quarter = (bytes / 4 + cache_line - 1) / cache_line * cache_line;
  return std::clamp(quarter, least, block_bytes);
}

shared_cut cut(const call& at, collective what, std::size_t bytes, rank_id members) noexcept {
  const bool per_member = has_block_per_member(what);
  const std::size_t all = per_member ? bytes * members : bytes;
  if (all <= shared_slot::data_bytes) return {.piece = bytes, .count = 1, .in_line = true};
  std::size_t piece = block_bytes;
  if (per_member) {
    piece = std::min(bytes, block_bytes / members / cache_line * cache_line);
  } else if (what == collective::broadcast) {
    piece = broadcast_piece(bytes, at.on->owner().crowded());
  } else if (at.combine.element_bytes != 0) {
    piece = block_bytes / at.combine.element_bytes * at.combine.element_bytes;
  }
  return {.piece = piece, .count = static_cast<std::uint32_t>((bytes + piece - 1) / piece)};
}

}  // namespace

shared_cut cut_of(const call& at) noexcept { return cut(at, at.what, at.bytes, at.size); }

std::uint32_t turns_of(const call& at) noexcept {
  const rank_id members = at.on->hosts().local_count();
  if (members == 1 || !obstacle_to_sharing(at).empty()) return 0;
  const std::uint32_t own = cut(at, at.what, at.bytes, members).count;
  if (at.one_host) return own;
  // Hierarchical ones also tell the members something: of an allgather, the blocks of all.
  const std::size_t told = at.what == collective::allgather ? at.bytes * at.size : at.bytes;
  return std::max(own, cut(at, collective::broadcast, told, members).count);
}

std::string_view obstacle_to_sharing(const call& at) noexcept {
  if (!at.on->owner().direct_allowed()) return "direct access to shared memory is off";
  if (at.on->host_block() == nullptr) return "the team has no shared memory";
  if (at.combine.element_bytes > block_bytes) return "the elements are too large for it";
  if (has_block_per_member(at.what) && at.on->hosts().local_count() > members_max) {
    return "too many members for it";
  }
  return {};
}

shared_lanes::shared_lanes(const call& at)
    : owner_(at.on->owner()),
      block_(at.on->host_block()),
      rank_(at.rank),
      size_(at.size),
      turns_before_(at.state->turns_over()),
      lanes_(at.size) {
  for (rank_id member = 0; member < size_; ++member) {
    bells_.push_back(&owner_.host_memory().page(at.job_rank(member)).bell);
    if (member != rank_) others_.push_back(bells_.back());
  }
}

shared_lanes::~shared_lanes() {
  owner_.internal_heap().free(own_);
  owner_.internal_heap().free(own_directory_);
}

std::byte* shared_lanes::base() const noexcept {
  return reinterpret_cast<std::byte*>(&owner_.host_memory().header());
}

std::uint64_t shared_lanes::publish(std::atomic<std::uint64_t>& at, void* made) noexcept {
  const std::uint64_t place =
      made == nullptr ? none : static_cast<std::uint64_t>(static_cast<std::byte*>(made) - base());
  at.store(place, std::memory_order_release);  // pairs with the acquires in settle()
  ring_others();
  return place;
}

bool shared_lanes::find_directory() noexcept {
  std::uint64_t place = block_->collectives.load(std::memory_order_acquire);
  if (place == unknown && rank_ == 0) {
    const std::size_t bytes = size_ * sizeof(directory_row);
    own_directory_ = owner_.internal_heap().allocate(bytes, alignof(directory_row));
    if (own_directory_ != nullptr) std::memset(own_directory_, 0, bytes);
    place = publish(block_->collectives, own_directory_);
  }
  if (place == none) settled_ = refused_ = true;
  if (place <= none) return settled_;
  directory_ = reinterpret_cast<directory_row*>(base() + place);
  return true;
}

void shared_lanes::make_lane() noexcept {
  told_ = true;
  void* const memory = owner_.internal_heap().allocate(shared_lane::bytes(), alignof(shared_lane));
  if (memory != nullptr) {
    std::memset(memory, 0, sizeof(shared_lane));  // a valid empty state; blocks need none
    own_ = reinterpret_cast<shared_lane*>(memory);
    done_told_ = turns_before_ / granule;
    own_->done.store(turns_before_, std::memory_order_relaxed);
  }
  publish(directory_[rank_].place, own_);
}

bool shared_lanes::settle() noexcept {
  if (settled_) return true;
  if (directory_ == nullptr && !find_directory()) return false;
  if (settled_) return true;
  if (!told_) make_lane();
  bool all = true;
  for (rank_id member = 0; member < size_; ++member) {
    const std::uint64_t place = directory_[member].place.load(std::memory_order_acquire);
    if (place == unknown) return false;
    if (place == none) all = false;
    lanes_[member] = reinterpret_cast<shared_lane*>(base() + place);
  }
  refused_ = !all;
  settled_ = true;
  return true;
}

// Acquire: pairs with turns_done() of each member; its reads of those turns are over.
bool shared_lanes::look_for_room(std::uint64_t turn) noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  for (shared_lane* const each : lanes_) {
    least = std::min(least, each->done.load(std::memory_order_acquire));
  }
  free_end_ = least + shared_lane::slot_count;
  return turn < free_end_;
}

void shared_lanes::turns_done(std::uint64_t before) noexcept {
  if (before / granule == done_told_ || own_ == nullptr) return;
  done_told_ = before / granule;
  own_->done.store(before, std::memory_order_release);  // pairs with look_for_room()
  ring_others();
}

}  // namespace atl::coll
