// SPDX-License-Identifier: BSD-3-Clause
//
// Takes ranges and gives them back. Blocks and gaps alternate below end_. Two gaps never touch,
// because a block that is given back joins the gaps at both of its sides, and none touches end_,
// which then moves down instead. So the free bytes around an offset are always one gap, and
// is_valid() can rebuild all from the blocks.
#include <atoll/memory/range_map.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/rounding.hpp>

#include <iterator>

namespace atl::memory {

namespace {

// The lowest aligned offset from `start` on; `no_offset` when no number is that large.
std::size_t align(std::size_t start, std::size_t alignment) {
  const std::size_t aligned = round_up(start, alignment);
  return aligned >= start ? aligned : range_map::no_offset;
}

bool fits(std::size_t offset, std::size_t bytes, std::size_t end) {
  return offset <= end && bytes <= end - offset;
}

}  // namespace

std::size_t range_map::find_room(std::size_t bytes, std::size_t alignment, std::size_t from) const {
  if (!gap_sizes_.empty() && bytes <= *gap_sizes_.rbegin()) {
    auto entry = gaps_.upper_bound(from);
    if (entry != gaps_.begin()) --entry;  // `from` may lie inside this one
    for (; entry != gaps_.end(); ++entry) {
      const std::size_t place = align(entry->first < from ? from : entry->first, alignment);
      if (fits(place, bytes, entry->first + entry->second)) return place;
    }
  }
  const std::size_t place = align(from < end_ ? end_ : from, alignment);
  return fits(place, bytes, limit_) ? place : no_offset;
}

bool range_map::is_free(std::size_t offset, std::size_t bytes) const {
  if (offset >= end_) return fits(offset, bytes, limit_);
  const auto above = gaps_.upper_bound(offset);
  if (above == gaps_.begin()) return false;
  const auto& [start, size] = *std::prev(above);
  return fits(offset, bytes, start + size);
}

void range_map::add_gap(std::size_t offset, std::size_t bytes) {
  if (bytes == 0) return;
  gaps_.emplace(offset, bytes);
  gap_sizes_.insert(bytes);
}

void range_map::remove_gap(std::map<std::size_t, std::size_t>::iterator entry) {
  gap_sizes_.erase(gap_sizes_.find(entry->second));
  gaps_.erase(entry);
}

void range_map::take(std::size_t offset, std::size_t bytes) {
  ATOLL_ASSERT(bytes != 0 && is_free(offset, bytes), "only free bytes can be taken", offset, bytes);
  if (offset >= end_) {
    add_gap(end_, offset - end_);
    end_ = offset + bytes;
  } else {
    const auto entry = std::prev(gaps_.upper_bound(offset));
    const auto [start, size] = *entry;
    remove_gap(entry);
    add_gap(start, offset - start);
    add_gap(offset + bytes, start + size - (offset + bytes));
  }
  blocks_.emplace(offset, bytes);
  used_ += bytes;
}

std::size_t range_map::give_back(std::size_t offset) {
  const auto block = blocks_.find(offset);
  if (block == blocks_.end()) return 0;
  const std::size_t bytes = block->second;
  blocks_.erase(block);
  used_ -= bytes;
  std::size_t start = offset;
  std::size_t end = offset + bytes;
  if (const auto above = gaps_.lower_bound(end); above != gaps_.end() && above->first == end) {
    end += above->second;
    remove_gap(above);
  }
  if (const auto next = gaps_.lower_bound(start); next != gaps_.begin()) {
    const auto below = std::prev(next);
    if (below->first + below->second == start) {
      start = below->first;
      remove_gap(below);
    }
  }
  if (end == end_) {
    end_ = start;
  } else {
    add_gap(start, end - start);
  }
  return bytes;
}

bool range_map::resize(std::size_t offset, std::size_t bytes) {
  const std::size_t old_bytes = size_at(offset);
  ATOLL_ASSERT(old_bytes != 0 && bytes != 0, "a block that is resized exists, and has bytes",
               offset, bytes);
  if (bytes > old_bytes && !is_free(offset + old_bytes, bytes - old_bytes)) return false;
  give_back(offset);
  take(offset, bytes);
  return true;
}

std::size_t range_map::size_at(std::size_t offset) const {
  const auto block = blocks_.find(offset);
  return block == blocks_.end() ? 0 : block->second;
}

range_map::gap range_map::gap_around(std::size_t offset) const {
  if (offset >= end_) return {end_, limit_ - end_};
  const auto above = gaps_.upper_bound(offset);
  ATOLL_ASSERT(above != gaps_.begin(), "the offset is free", offset);
  const auto& [start, size] = *std::prev(above);
  ATOLL_ASSERT(offset < start + size, "the offset is free", offset);
  return {start, size};
}

bool range_map::is_valid() const {
  std::size_t position = 0;
  std::size_t used = 0;
  std::multiset<std::size_t> sizes;
  auto next = gaps_.begin();
  for (const auto& [offset, bytes] : blocks_) {
    if (offset != position) {
      if (next == gaps_.end() || next->first != position || next->second != offset - position)
        return false;
      sizes.insert(next->second);
      ++next;
    }
    position = offset + bytes;
    used += bytes;
  }
  return next == gaps_.end() && position == end_ && end_ <= limit_ && used == used_ &&
         sizes == gap_sizes_;
}

}  // namespace atl::memory
