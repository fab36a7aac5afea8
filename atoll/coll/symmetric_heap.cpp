// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of the symmetric heap, and the rounds in which members agree. A member contributes a
// few numbers to a round. Each travels as it is and inverted, so that one reduction for the maximum
// tells the highest and the lowest of every number.
#include <atoll/coll/symmetric_heap.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/memory/host_memory.hpp>
#include <atoll/memory/range_map.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>

namespace atl::coll {

namespace {

constexpr std::size_t no_place = memory::range_map::no_offset;
constexpr std::size_t unit_bytes = 16;                        // sizes are multiples of it
constexpr std::size_t first_offset = 64;                      // 0 stands for "no block" in fronts
constexpr std::size_t smallest_step = std::size_t{64} << 10;  // of growth
constexpr std::size_t largest_step = std::size_t{64} << 20;
constexpr std::size_t slack_bytes = std::size_t{1} << 20;    // kept after the last block
constexpr std::size_t discard_bytes = std::size_t{1} << 20;  // smaller blocks keep their pages

constexpr std::uint64_t allocate_call = 0;
constexpr std::uint64_t resize_call = 1;
constexpr std::uint64_t free_call = 2;

// A member's finding about a block, in `place`; the worst finding of all members decides.
constexpr std::uint64_t fits_in_place = 0;
constexpr std::uint64_t must_move = 1;
constexpr std::uint64_t not_its_block = 2;

// A size that is too large for any heap must not wrap to a small one.
std::size_t block_size(std::size_t bytes) {
  return round_up(std::clamp(bytes, std::size_t{1}, no_place - unit_bytes), unit_bytes);
}

const char* name_of(std::uint64_t call) {
  static constexpr const char* names[] = {"allocation", "resizing", "release"};
  return names[call];
}

std::string offset_text(std::uint64_t offset) {
  return offset == no_place ? std::string("none") : text(offset);
}

std::string no_block_at(std::size_t offset) {
  return text("on one member there is no block of this team at offset ", offset);
}

}  // namespace

struct symmetric_heap::heap_call {
  std::uint64_t call = 0;
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 0;
  std::uint64_t block = no_place;  // offset of the one that is resized or freed
  std::uint64_t place = 0;         // held for the new one, or what was found out about this one
};

struct symmetric_heap::answers {
  heap_call highest;
  heap_call lowest;
};

symmetric_heap::symmetric_heap(runtime& owner)
    : owner_(owner),
      host_(layer_access::host_memory(owner)),
      base_(host_.shared(owner.rank())),
      map_(std::make_unique<memory::range_map>(host_.layout().symmetric_limit)) {
  map_->take(0, first_offset);
}

symmetric_heap::~symmetric_heap() { host_.release(committed_); }

// --- agreement -----------------------------------------------------------------------------------

symmetric_heap::answers symmetric_heap::agree(team& members, const heap_call& own_request) const {
  constexpr std::size_t count = sizeof(heap_call) / sizeof(std::uint64_t);
  using numbers = std::array<std::uint64_t, count>;
  const auto own = std::bit_cast<numbers>(own_request);
  std::array<numbers, 2> sent_numbers;
  std::array<numbers, 2> greatest;
  sent_numbers[0] = own;
  std::ranges::transform(own, sent_numbers[1].begin(),
                         [](std::uint64_t number) { return ~number; });
  if (allreduce(members, greatest.data(), sent_numbers.data(), 2 * count,
                built_in(reduce_operation::max, data_type::u64)) != operation_status::done) {
    throw error(text(name_of(own_request.call), " of symmetric memory by rank ", owner_.rank(),
                     " in a team of ", members.size()),
                "a member is lost", "use a team of the ranks that are left");
  }
  for (std::uint64_t& number : greatest[1]) number = ~number;
  return {std::bit_cast<heap_call>(greatest[0]), std::bit_cast<heap_call>(greatest[1])};
}

// Describes how the members' calls differ; empty when they all made the same call.
std::string symmetric_heap::difference(const heap_call& own_request, const answers& bounds) {
  const auto& [highest, lowest] = bounds;
  if (highest.call != lowest.call) {
    const auto other = highest.call == own_request.call ? lowest.call : highest.call;
    return text("another member is at ", name_of(other));
  }
  if (highest.bytes != lowest.bytes) {
    return text("this member asks for ", own_request.bytes, " bytes, others for ", lowest.bytes,
                " to ", highest.bytes);
  }
  if (highest.alignment != lowest.alignment) {
    return text("this member asks for an alignment of ", own_request.alignment, ", others for ",
                lowest.alignment, " to ", highest.alignment);
  }
  if (highest.block != lowest.block) {
    return text("this member gives the block at offset ", offset_text(own_request.block),
                ", others give another");
  }
  return {};
}

void symmetric_heap::refuse(const team& members, const heap_call& own_request,
                            const std::string& cause) const {
  throw error(text(name_of(own_request.call), " of symmetric memory by rank ", owner_.rank(),
                   " in a team of ", members.size()),
              cause, "make the same calls, in the same order, on all members");
}

bool symmetric_heap::is_block_of(const team& members, std::size_t offset) const {
  const std::lock_guard lock(guard_);
  const auto found = owners_.find(offset);
  return found != owners_.end() && found->second == members.members();
}

// --- memory of this rank ------------------------------------------------------------------------

// Makes [0, end) usable. Grows by more than is needed, unless there is only that.
bool symmetric_heap::cover(std::size_t end) {
  if (end <= committed_) return true;
  const std::size_t room = map_->limit() - committed_;
  const std::size_t needed = round_up(end, page_bytes) - committed_;
  const std::size_t step =
      round_up(std::clamp(committed_ / 8, smallest_step, largest_step), page_bytes);
  std::size_t wanted = std::min(std::max(needed, step), room);
  if (!host_.commit(wanted)) {
    if (wanted == needed || !host_.commit(needed)) return false;
    wanted = needed;
  }
  committed_ += wanted;
  return true;
}

// Gives back the memory after the last block, if it is much.
void symmetric_heap::shrink_to_fit() {
  const std::size_t kept = std::min(round_up(map_->end(), page_bytes) + slack_bytes, committed_);
  if (committed_ - kept < slack_bytes) return;
  host_.discard(base_ + kept, committed_ - kept);
  host_.release(committed_ - kept);
  committed_ = kept;
}

// Gives back the pages of a freed block, also those at its ends if they are free.
void symmetric_heap::discard_block(std::size_t offset, std::size_t bytes) {
  if (bytes >= discard_bytes && offset < map_->end()) {
    const auto around = map_->gap_around(offset);
    const std::size_t begin =
        std::max(round_up(around.offset, page_bytes), round_down(offset, page_bytes));
    const std::size_t end = std::min(round_down(around.offset + around.bytes, page_bytes),
                                     round_up(offset + bytes, page_bytes));
    if (begin < end) host_.discard(base_ + begin, end - begin);
  }
  shrink_to_fit();
}

std::size_t symmetric_heap::hold(std::size_t bytes, std::size_t alignment, std::size_t from) {
  if (!std::has_single_bit(alignment) || alignment > host_.layout().symmetric_alignment())
    return no_place;
  const std::lock_guard lock(guard_);
  const std::size_t place = map_->find_room(bytes, std::max(alignment, unit_bytes), from);
  if (place == no_place || !cover(place + bytes)) return no_place;
  map_->take(place, bytes);
  return place;
}

void symmetric_heap::drop(std::size_t offset) {
  const std::lock_guard lock(guard_);
  owners_.erase(offset);
  discard_block(offset, map_->give_back(offset));
}

// Lets a block grow in place; false, and nothing changed, when something lies after it.
bool symmetric_heap::try_grow(std::size_t offset, std::size_t bytes) {
  const std::lock_guard lock(guard_);
  const std::size_t end = offset + map_->size_at(offset);
  const std::size_t added = bytes - map_->size_at(offset);
  return map_->is_free(end, added) && cover(end + added) && map_->resize(offset, bytes);
}

void symmetric_heap::cut(std::size_t offset, std::size_t bytes) {
  const std::lock_guard lock(guard_);
  const std::size_t old_bytes = map_->size_at(offset);
  if (old_bytes <= bytes) return;
  map_->resize(offset, bytes);
  discard_block(offset + bytes, old_bytes - bytes);
}

// --- calls --------------------------------------------------------------------------------------

// The heaps of hosts may differ, so the addresses that go are below the smallest limit. 0 when they
// are in use, or a member is lost.
std::size_t symmetric_heap::set_aside(team& members, std::size_t bytes) {
  const auto least_of_all = [&members](std::uint64_t own) {
    std::uint64_t least = 0;
    const operation_status ended =
        allreduce(members, &least, &own, 1, built_in(reduce_operation::min, data_type::u64));
    return ended == operation_status::done ? least : 0;
  };
  std::unique_lock lock(guard_);
  const std::uint64_t own_limit = map_->limit();
  lock.unlock();
  const std::uint64_t limit = least_of_all(own_limit);
  const std::uint64_t begin = limit > bytes ? round_down(limit - bytes, page_bytes) : 0;
  lock.lock();
  const bool is_free = begin != 0 && map_->end() <= begin && committed_ <= begin;
  lock.unlock();
  if (least_of_all(is_free ? 1 : 0) == 0) return 0;
  lock.lock();
  map_->lower_limit(begin);
  return begin;
}

// Takes a block for all members, at one offset; returns `no_place` when there is no room for it.
std::size_t symmetric_heap::place_together(team& members, heap_call own_request) {
  for (std::size_t from = 0;;) {
    own_request.place = hold(own_request.bytes, own_request.alignment, from);
    const answers bounds = agree(members, own_request);
    const std::string different = difference(own_request, bounds);
    const std::uint64_t highest = bounds.highest.place;
    if (different.empty() && highest == bounds.lowest.place) {
      if (highest == no_place) return no_place;
      const std::lock_guard lock(guard_);
      owners_.emplace(highest, members.members());
      return highest;
    }
    if (own_request.place != no_place) drop(own_request.place);
    if (!different.empty()) refuse(members, own_request, different);
    if (highest == no_place) return no_place;
    from = highest;
  }
}

void* symmetric_heap::allocate(team& members, std::size_t bytes, std::size_t alignment) {
  const std::size_t place = place_together(
      members, {.call = allocate_call, .bytes = block_size(bytes), .alignment = alignment});
  return place == no_place ? nullptr : base_ + place;
}

void* symmetric_heap::resize(team& members, void* block, std::size_t bytes, std::size_t alignment) {
  if (block == nullptr) return allocate(members, bytes, alignment);
  const std::size_t offset = offset_of(block);
  const std::size_t old_bytes = is_block_of(members, offset) ? block_bytes(block) : 0;
  heap_call own_request{.call = resize_call,
                        .bytes = block_size(bytes),
                        .alignment = alignment,
                        .block = offset,
                        .place = not_its_block};
  if (old_bytes != 0) {
    const bool aligned = std::has_single_bit(alignment) && offset % alignment == 0;
    const bool fits =
        aligned && (own_request.bytes <= old_bytes || try_grow(offset, own_request.bytes));
    own_request.place = fits ? fits_in_place : must_move;
  }
  const answers bounds = agree(members, own_request);
  const std::string different = difference(own_request, bounds);
  const std::uint64_t worst = bounds.highest.place;
  if (old_bytes != 0 && (!different.empty() || worst != fits_in_place)) cut(offset, old_bytes);
  if (!different.empty()) refuse(members, own_request, different);
  if (worst == not_its_block) refuse(members, own_request, no_block_at(offset));
  if (worst == must_move) return move(members, own_request, old_bytes);
  cut(offset, own_request.bytes);  // all members are here, so no rank uses what lies after it
  return block;
}

// Other members may write to the new block as soon as their call returns, so no call returns
// before all members have copied.
void* symmetric_heap::move(team& members, const heap_call& own_request, std::size_t old_bytes) {
  const std::size_t place = place_together(members, own_request);
  if (place == no_place) return nullptr;
  std::memcpy(base_ + place, base_ + own_request.block,
              std::min<std::size_t>(old_bytes, own_request.bytes));
  members.barrier();
  drop(own_request.block);
  return base_ + place;
}

void symmetric_heap::free(team& members, void* block) {
  const std::size_t offset = block != nullptr ? offset_of(block) : no_place;
  const bool known = block == nullptr || is_block_of(members, offset);
  const heap_call own_request{
      .call = free_call, .block = offset, .place = known ? fits_in_place : not_its_block};
  const answers bounds = agree(members, own_request);
  if (const std::string different = difference(own_request, bounds); !different.empty())
    refuse(members, own_request, different);
  if (bounds.highest.place == not_its_block) refuse(members, own_request, no_block_at(offset));
  if (block != nullptr) drop(offset);
}

void* symmetric_heap::hold_local(std::size_t bytes, std::size_t alignment) {
  const std::size_t place = hold(block_size(bytes), alignment, 0);
  return place == no_place ? nullptr : base_ + place;
}

void symmetric_heap::accept_local(const team& members, void* block) {
  const std::lock_guard lock(guard_);
  owners_.emplace(offset_of(block), members.members());
}

void symmetric_heap::free_local(void* block) { drop(offset_of(block)); }

// --- questions ----------------------------------------------------------------------------------

void* symmetric_heap::address_at(rank_id rank, const void* address) const noexcept {
  return owner_.heaps().part(rank).base + offset_of(address);
}

void* symmetric_heap::at_neighbour(rank_id neighbour, const void* address) const noexcept {
  return host_.shared(neighbour) + offset_of(address);
}

bool symmetric_heap::contains(const void* address) const noexcept {
  return offset_of(address) < map_->limit();  // an address below the heap wraps to a huge offset
}

std::size_t symmetric_heap::block_bytes(const void* address) const noexcept {
  const std::lock_guard lock(guard_);
  return owners_.contains(offset_of(address)) ? map_->size_at(offset_of(address)) : 0;
}

symmetric_heap::usage symmetric_heap::current_usage() const noexcept {
  const std::lock_guard lock(guard_);
  return {.used_bytes = map_->used() - first_offset,
          .committed_bytes = committed_,
          .limit_bytes = map_->limit(),
          .blocks = owners_.size()};
}

symmetric_heap& symmetric_heap_of(runtime& owner) {
  auto* const made = owner.attached<symmetric_heap>();
  ATOLL_ASSERT(made != nullptr, "coll::open() makes the symmetric heap", owner.rank());
  return *made;
}

}  // namespace atl::coll
