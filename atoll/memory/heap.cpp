// SPDX-License-Identifier: BSD-3-Clause
//
// Two-level segregated fit. A size class is a power of two (first level) cut into 32 equal parts
// (second level); below 512 bytes the classes are the multiples of 16. The invariants, held
// whenever the mutex is free: blocks tile [base, base + committed); each header knows the size of
// the block before it; two free blocks never touch; every free block is in the list of its class; a
// bit of a map is set exactly when its list, or a list of its row, holds something.
#include <atoll/memory/heap.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace atl::memory {

namespace {

constexpr std::size_t unit_bytes = 16;
constexpr std::size_t header_bytes = 16;
constexpr std::size_t smallest_block_bytes = 32;  // header and the links of a free block
constexpr std::size_t smallest_step_bytes = std::size_t{1} << 20;
constexpr std::size_t largest_step_bytes = std::size_t{64} << 20;
constexpr std::size_t largest_limit_bytes = std::size_t{1} << 46;
constexpr unsigned second_bits = 5;
constexpr unsigned linear_bits = 9;  // sizes below 2^9 have a list each
constexpr unsigned scan_most = 16;   // blocks looked at that may be too small

constexpr std::uint64_t used_bit = 1;
constexpr std::uint64_t size_mask = (std::uint64_t{1} << 48) - unit_bytes;

/// 16 bits in the top of a header that only a header at this address has.
std::uint64_t tag_of(const void* address) noexcept {
  const auto bits = reinterpret_cast<std::uintptr_t>(address) / unit_bytes;
  return (bits * 0x9e3779b97f4a7c15u ^ 0xa7011u << 16) & ~((std::uint64_t{1} << 48) - 1);
}

}  // namespace

/// A block as it lies in the segment. The links exist only while it is free.
struct heap::block {
  std::uint64_t state;     // tag, size with header, used bit
  std::uint64_t previous;  // size of the block before in memory; 0 for the first
  block* next_free;
  block* previous_free;

  std::size_t size() const noexcept { return state & size_mask; }
  bool used() const noexcept { return (state & used_bit) != 0; }
  bool tagged() const noexcept { return ((state ^ tag_of(this)) >> 48) == 0; }
  void set(std::size_t bytes, bool is_used) noexcept {
    state = tag_of(this) | bytes | (is_used ? used_bit : 0);
  }
  std::byte* start() noexcept { return reinterpret_cast<std::byte*>(this); }
  const std::byte* start() const noexcept { return reinterpret_cast<const std::byte*>(this); }
  std::byte* payload() noexcept { return start() + header_bytes; }
};

heap::heap(heap_options options)
    : base_(options.base),
      limit_(round_down(options.limit_bytes, page_bytes)),
      commit_(std::move(options.commit)) {
  static_assert(sizeof(block) == smallest_block_bytes);
  static_assert(std::bit_width(largest_limit_bytes) - linear_bits < first_count);
  ATOLL_ASSERT(reinterpret_cast<std::uintptr_t>(base_) % unit_bytes == 0,
               "a heap starts at a multiple of 16", static_cast<void*>(base_));
  ATOLL_ASSERT(limit_ <= largest_limit_bytes, "the heap is larger than headers can describe",
               limit_);
}

// --- size classes ---

/// The list that a free block of this size belongs to.
heap::list_place heap::place_of(std::size_t bytes) noexcept {
  if (bytes < (std::size_t{1} << linear_bits))
    return {0, static_cast<unsigned>(bytes / unit_bytes)};
  const auto log = static_cast<unsigned>(std::bit_width(bytes)) - 1;
  return {log - linear_bits + 1,
          static_cast<unsigned>(bytes >> (log - second_bits)) & (second_count - 1)};
}

/// The first list all of whose blocks have at least this size.
heap::list_place heap::place_above(std::size_t bytes) noexcept {
  if (bytes < (std::size_t{1} << linear_bits)) return place_of(bytes);
  const auto log = static_cast<unsigned>(std::bit_width(bytes)) - 1;
  return place_of(bytes + (std::size_t{1} << (log - second_bits)) - 1);
}

// --- neighbours ---

heap::block* heap::block_after(const block* b) const noexcept {
  if (b == last_) return nullptr;
  return reinterpret_cast<block*>(base_ + (b->start() - base_) + b->size());
}

heap::block* heap::block_before(const block* b) const noexcept {
  if (b->previous == 0) return nullptr;
  return reinterpret_cast<block*>(base_ + (b->start() - base_) - b->previous);
}

/// The reason why no live block has its payload at `address`; empty when one has.
std::string_view heap::misuse(const void* address) const noexcept {
  const auto offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base_);
  if (offset < header_bytes || offset >= committed_)
    return "the pointer is not of this segment's heap";
  if (offset % unit_bytes != 0) return "the pointer is not the start of a block";
  const block* b = block_at(address);
  if (!b->tagged()) return "the pointer is not the start of a block, or its header was overwritten";
  if (!b->used()) return "the block was freed before";
  if (offset - header_bytes + b->size() > committed_ ||
      (block_after(b) != nullptr && block_after(b)->previous != b->size()))
    return "the header after this block was overwritten";
  return {};
}

heap::block* heap::block_at(const void* address) const noexcept {
  const auto offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base_);
  return reinterpret_cast<block*>(base_ + offset - header_bytes);
}

heap::block* heap::checked_block(const void* address) const noexcept {
  const void* const heap_begin = base_;
  const void* const heap_end = end();
  const std::string_view wrong = misuse(address);
  ATOLL_ASSERT(wrong.empty(), wrong, address, heap_begin, heap_end);
  return block_at(address);
}

// --- lists of free blocks ---

void heap::insert(block* b) noexcept {
  const auto [first, second] = place_of(b->size());
  block*& head = lists_[first][second];
  b->previous_free = nullptr;
  b->next_free = head;
  if (head != nullptr) head->previous_free = b;
  head = b;
  second_map_[first] |= 1u << second;
  first_map_ |= std::uint64_t{1} << first;
}

void heap::remove(block* b) noexcept {
  const auto [first, second] = place_of(b->size());
  block*& head = lists_[first][second];
  if (b->previous_free != nullptr) b->previous_free->next_free = b->next_free;
  if (b->next_free != nullptr) b->next_free->previous_free = b->previous_free;
  if (head == b) head = b->next_free;
  if (head != nullptr) return;
  second_map_[first] &= ~(1u << second);
  if (second_map_[first] == 0) first_map_ &= ~(std::uint64_t{1} << first);
}

/// Bytes to leave before a block that would start at `start`, so that its payload is aligned and
/// what is left is a block of its own or nothing.
std::size_t heap::front_gap(const std::byte* start, std::size_t alignment) noexcept {
  const auto payload = reinterpret_cast<std::uintptr_t>(start) + header_bytes;
  const std::size_t gap = (0 - payload) & (alignment - 1);
  return gap != 0 && gap < smallest_block_bytes ? gap + alignment : gap;
}

bool heap::fits(const block* candidate, request wanted) noexcept {
  return front_gap(candidate->start(), wanted.alignment) + wanted.bytes <= candidate->size();
}

/// The head of the first list that holds something, from `place` upwards; moves `place` there.
heap::block* heap::first_from(list_place& place) const noexcept {
  if (place.first >= first_count) return nullptr;
  std::uint32_t seconds = 0;
  if (place.second < second_count)
    seconds = second_map_[place.first] & (~std::uint32_t{0} << place.second);
  if (seconds == 0) {
    const std::uint64_t firsts = first_map_ & (~std::uint64_t{0} << (place.first + 1));
    if (firsts == 0) return nullptr;
    place.first = static_cast<unsigned>(std::countr_zero(firsts));
    seconds = second_map_[place.first];
  }
  place.second = static_cast<unsigned>(std::countr_zero(seconds));
  return lists_[place.first][place.second];
}

/// A free block for the request. First a look at a few blocks from the class of the size on, where
/// one may just fit (so aligned blocks given back are found again); then the class that fits for
/// certain.
heap::block* heap::find(request wanted) const noexcept {
  unsigned looked = 0;
  list_place place = place_of(wanted.bytes);
  while (looked < scan_most) {
    block* candidate = first_from(place);
    if (candidate == nullptr) return nullptr;
    for (; candidate != nullptr && looked < scan_most; ++looked) {
      if (fits(candidate, wanted)) return candidate;
      candidate = candidate->next_free;
    }
    ++place.second;
  }
  const std::size_t worst_gap = wanted.alignment > unit_bytes ? wanted.alignment + unit_bytes : 0;
  place = place_above(wanted.bytes + worst_gap);
  return first_from(place);
}

// --- growth ---

/// Adds committed memory at the end as a free block, joined to the last one where that is free.
void heap::extend(std::size_t bytes) noexcept {
  if (last_ != nullptr && !last_->used()) {
    remove(last_);
    committed_ += bytes;
    last_->set(last_->size() + bytes, false);
  } else {
    block* added = reinterpret_cast<block*>(end());
    added->previous = last_ == nullptr ? 0 : last_->size();
    committed_ += bytes;
    added->set(bytes, false);
    last_ = added;
  }
  insert(last_);
}

/// Grows the end until the request fits there: by a comfortable step, else by just enough.
heap::block* heap::grow(request wanted) noexcept {
  const bool last_is_free = last_ != nullptr && !last_->used();
  const std::byte* start = last_is_free ? last_->start() : end();
  const std::size_t wanted_end =
      static_cast<std::size_t>(start - base_) + front_gap(start, wanted.alignment) + wanted.bytes;
  if (wanted_end > limit_) return nullptr;
  if (wanted_end > committed_) {
    const std::size_t enough = round_up(wanted_end, page_bytes);
    const auto step = std::clamp(committed_, smallest_step_bytes, largest_step_bytes);
    std::size_t target = std::max(enough, std::min(committed_ + step, limit_));
    if (!commit_(target)) {
      if (target == enough || !commit_(enough)) return nullptr;
      target = enough;
    }
    extend(target - committed_);
  }
  return last_;
}

// --- cutting and joining ---

/// Writes a block's size and tells the block after it.
void heap::set_size(block* b, std::size_t bytes) noexcept {
  b->set(bytes, b->used());
  if (block* next = block_after(b); next != nullptr) next->previous = bytes;
}

/// Cuts a block that is in no list in two; returns the second part, free and in no list.
heap::block* heap::cut_front(block* b, std::size_t bytes) noexcept {
  const std::size_t remaining = b->size() - bytes;
  const bool was_last = b == last_;
  block* second = reinterpret_cast<block*>(b->start() + bytes);
  b->set(bytes, b->used());
  second->previous = bytes;
  second->set(remaining, false);
  if (was_last) last_ = second;
  set_size(second, remaining);
  return second;
}

/// Turns a free block into the requested one, and gives back what is left before and after it.
void* heap::take(block* b, request wanted) noexcept {
  remove(b);
  if (const std::size_t gap = front_gap(b->start(), wanted.alignment); gap != 0) {
    block* aligned = cut_front(b, gap);
    insert(b);
    b = aligned;
  }
  if (b->size() - wanted.bytes >= smallest_block_bytes) insert(cut_front(b, wanted.bytes));
  b->set(b->size(), true);
  used_ += b->size();
  ++blocks_;
  return b->payload();
}

/// Joins a block in no list with the one after it, when that is free.
void heap::join_after(block* b) noexcept {
  block* next = block_after(b);
  if (next == nullptr || next->used()) return;
  remove(next);
  const std::size_t bytes = b->size() + next->size();
  if (next == last_) last_ = b;
  set_size(b, bytes);
}

// --- the public calls ---

void* heap::allocate(std::size_t size_bytes, std::size_t alignment) noexcept {
  if (!std::has_single_bit(alignment) || alignment > largest_alignment) return nullptr;
  if (size_bytes > limit_) return nullptr;
  const request wanted = {
      .bytes = std::max(round_up(size_bytes, unit_bytes) + header_bytes, smallest_block_bytes),
      .alignment = std::max(alignment, unit_bytes)};
  const std::scoped_lock lock(mutex_);
  block* b = find(wanted);
  if (b == nullptr) b = grow(wanted);
  return b == nullptr ? nullptr : take(b, wanted);
}

void heap::free(void* address) noexcept {
  if (address == nullptr) return;
  const std::scoped_lock lock(mutex_);
  give_back(checked_block(address));
}

std::string_view heap::try_free(void* address) noexcept {
  if (address == nullptr) return {};
  const std::scoped_lock lock(mutex_);
  const std::string_view wrong = misuse(address);
  if (wrong.empty()) give_back(block_at(address));
  return wrong;
}

std::string_view heap::find_misuse(const void* address) const noexcept {
  const std::scoped_lock lock(mutex_);
  return misuse(address);
}

void heap::give_back(block* b) noexcept {
  used_ -= b->size();
  --blocks_;
  b->set(b->size(), false);
  join_after(b);
  if (block* previous = block_before(b); previous != nullptr && !previous->used()) {
    remove(previous);
    if (b == last_) last_ = previous;
    set_size(previous, previous->size() + b->size());
    b = previous;
  }
  insert(b);
}

std::size_t heap::usable_size(const void* address) const noexcept {
  const std::scoped_lock lock(mutex_);
  return checked_block(address)->size() - header_bytes;
}

bool heap::contains(const void* address) const noexcept {
  const std::scoped_lock lock(mutex_);
  const auto offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base_);
  return offset < committed_;
}

heap_usage heap::usage() const noexcept {
  const std::scoped_lock lock(mutex_);
  return {.used_bytes = used_,
          .free_bytes = committed_ - used_,
          .committed_bytes = committed_,
          .limit_bytes = limit_,
          .largest_free_bytes = largest_free(),
          .blocks = blocks_};
}

std::size_t heap::largest_block(std::size_t size_bytes) const noexcept {
  const std::scoped_lock lock(mutex_);
  const std::size_t most = std::min(size_bytes, limit_);
  const std::size_t growth = most - std::min(most, committed_);
  const std::size_t at_end = last_ != nullptr && !last_->used() ? last_->size() : 0;
  return std::max(growth + at_end, largest_free());
}

/// The largest block is in the highest list that holds any.
std::size_t heap::largest_free() const noexcept {
  if (first_map_ == 0) return 0;
  const auto first = static_cast<unsigned>(std::bit_width(first_map_)) - 1;
  const auto second = static_cast<unsigned>(std::bit_width(second_map_[first])) - 1;
  std::size_t largest = 0;
  for (const block* b = lists_[first][second]; b != nullptr; b = b->next_free)
    largest = std::max(largest, b->size());
  return largest;
}

// --- the invariants, for tests ---

std::string heap::find_block_damage(const block* b, const block* previous) const {
  const auto label = text("block at ", b->start() - base_, ": ");
  if (!b->tagged()) return label + "the header's tag is wrong";
  if (b->size() < smallest_block_bytes) return label + "the size is too small";
  if (b->size() > static_cast<std::size_t>(end() - b->start()))
    return label + "the size is too large";
  if (b->previous != (previous == nullptr ? 0 : previous->size()))
    return label + "the size of the block before is wrong";
  if (previous != nullptr && !previous->used() && !b->used())
    return label + "two free blocks touch";
  return {};
}

/// The number of listed blocks that are free and in the list of their class; counts to `most` + 1
/// at most.
std::size_t heap::count_listed(std::size_t most) const noexcept {
  std::size_t listed = 0;
  for (unsigned first = 0; first < first_count; ++first) {
    for (unsigned second = 0; second < second_count; ++second) {
      for (const block* b = lists_[first][second]; b != nullptr; b = b->next_free) {
        const auto place = place_of(b->size());
        if (b->used() || place.first != first || place.second != second) return most + 1;
        if (++listed > most) return listed;
      }
      const bool marked = (second_map_[first] >> second & 1) != 0;
      if (marked != (lists_[first][second] != nullptr)) return most + 1;
    }
    if ((first_map_ >> first & 1) != (second_map_[first] != 0)) return most + 1;
  }
  return listed;
}

std::string heap::find_damage() const {
  const std::scoped_lock lock(mutex_);
  std::size_t used = 0, used_blocks = 0, free_blocks = 0;
  const block* previous = nullptr;
  for (const std::byte* address = base_; address != end();) {
    const block* b = reinterpret_cast<const block*>(address);
    if (auto damage = find_block_damage(b, previous); !damage.empty()) return damage;
    (b->used() ? used_blocks : free_blocks) += 1;
    used += b->used() ? b->size() : 0;
    address += b->size();
    previous = b;
  }
  if (previous != last_) return "the last block is not the one that ends the heap";
  if (used != used_ || used_blocks != blocks_) return "the counters of used blocks are wrong";
  if (count_listed(free_blocks) != free_blocks) return "lists and free blocks differ";
  return {};
}

}  // namespace atl::memory
