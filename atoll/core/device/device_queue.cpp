// SPDX-License-Identifier: BSD-3-Clause
//
// Copies under way on a device, and its slots. A copy is started under the lock that also notes it,
// so that the order of the notes is that of the direction.
#include <atoll/core/device/device_queue.hpp>

#include <atoll/base/log.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/device/device_list.hpp>

#include <algorithm>
#include <cstdlib>

namespace atl {

device_queue::device_queue(std::unique_ptr<memory::device> opened, std::size_t slot_bytes,
                           std::size_t staging_bytes)
    : device_(std::move(opened)),
      slot_bytes_(slot_bytes),
      slots_max_(std::max<std::size_t>(2, staging_bytes / slot_bytes)) {}

device_queue::~device_queue() {
  for (const slot& each : slots_) {
    if (each.is_pinned) {
      device_->unpin(each.memory);
    } else {
      std::free(each.memory);
    }
  }
}

bool device_queue::start_copy(memory::copy_direction direction, void* to, const void* from,
                              std::size_t bytes, device_chunk& part_of) noexcept {
  const std::lock_guard hold(guard_);
  const std::uint64_t number = device_->start_copy(direction, to, from, bytes);
  if (number != 0) directions_[static_cast<std::size_t>(direction)].push_back({number, &part_of});
  return number != 0;
}

bool device_queue::start_rows(memory::copy_direction direction, std::span<const run_row> to,
                              std::span<const run_row> from, device_chunk& part_of) noexcept {
  const std::lock_guard hold(guard_);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    number = device_->start_rows(direction, {.to = reinterpret_cast<void*>(to[i].address),
                                             .to_stride = to[i].stride,
                                             .from = reinterpret_cast<const void*>(from[i].address),
                                             .from_stride = from[i].stride,
                                             .bytes = to[i].bytes,
                                             .rows = to[i].count});
    if (number == 0) return false;
  }
  directions_[static_cast<std::size_t>(direction)].push_back({number, &part_of});
  return true;
}

const device_chunk* device_queue::collect(std::vector<device_chunk*>& complete) {
  const std::lock_guard hold(guard_);
  for (std::size_t direction = 0; direction < directions_.size(); ++direction) {
    std::deque<copy>& copies = directions_[direction];
    if (copies.empty()) continue;
    const auto done = device_->copies_done(static_cast<memory::copy_direction>(direction));
    if (!done) return copies.front().part_of;
    for (; !copies.empty() && copies.front().number <= *done; copies.pop_front())
      complete.push_back(copies.front().part_of);
  }
  return nullptr;
}

std::byte* device_queue::take_slot(std::size_t bytes) {
  const std::lock_guard hold(guard_);
  const bool fits_small = bytes <= slot_bytes_ / parts_of_slot;
  if (!fits_small || (free_small_.empty() && !split_one())) return take_large();
  std::byte* const taken = free_small_.back();
  free_small_.pop_back();
  return taken;
}

// At most half of the slots are split, and they remain so. Before the first is split a second one
// must exist, because without a whole slot large chunks would wait for ever.
bool device_queue::split_one() {
  const auto split = static_cast<std::size_t>(std::ranges::count_if(slots_, &slot::is_split));
  if (split >= slots_max_ / 2) return false;
  std::byte* const block = take_large();
  if (block == nullptr) return false;
  std::byte* const other = slots_.size() - split < 2 ? take_large() : nullptr;
  if (other != nullptr) free_.push_back(other);
  if (slots_.size() - split < 2) {
    free_.push_back(block);
    return false;
  }
  std::ranges::find(slots_, block, &slot::memory)->is_split = true;
  const std::size_t part = slot_bytes_ / parts_of_slot;
  for (std::size_t i = 0; i < parts_of_slot; ++i) free_small_.push_back(block + i * part);
  return true;
}

bool device_queue::is_small(const std::byte* taken) const noexcept {
  return std::ranges::any_of(slots_, [&](const slot& each) {
    return each.is_split && taken >= each.memory && taken < each.memory + slot_bytes_;
  });
}

std::byte* device_queue::take_large() {
  if (free_.empty() && slots_.size() < slots_max_) {
    std::byte* made = device_->pin(slot_bytes_);
    const bool is_pinned = made != nullptr;
    if (!is_pinned) {
      slots_max_ = slots_.size();  // the system has no more
      if (!slots_.empty()) return nullptr;
      log_warning(memory::text_of(device_->description()), ": no pinned memory (",
                  device_->problem(), "); transfers are staged through ordinary memory, slowly");
      made = static_cast<std::byte*>(std::malloc(slot_bytes_));
      slots_max_ = 1;
    }
    if (made == nullptr) return nullptr;
    slots_.push_back({made, is_pinned, false});
    return made;
  }
  if (free_.empty()) return nullptr;
  std::byte* const taken = free_.back();
  free_.pop_back();
  return taken;
}

void device_queue::give_back(std::byte* taken) noexcept {
  const std::lock_guard hold(guard_);
  (is_small(taken) ? free_small_ : free_).push_back(taken);
}

}  // namespace atl
