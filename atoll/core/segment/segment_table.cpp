// SPDX-License-Identifier: BSD-3-Clause
//
// Look-ups of segments by their numbers. The table never uses a segment, it only keeps its address.
#include <atoll/core/segment/segment_table.hpp>

namespace atl {

std::uint32_t segment_table::next_number() noexcept {
  const std::lock_guard hold(guard_);
  return static_cast<std::uint32_t>(shared_.size());
}

void segment_table::add(segment& made) {
  const std::lock_guard hold(guard_);
  all_.push_back(&made);
}

void segment_table::note(segment& shared, std::uint32_t number) {
  const std::lock_guard hold(guard_);
  if (shared_.size() <= number) shared_.resize(number + 1);
  shared_[number] = &shared;
}

void segment_table::forget(const segment& ended, std::uint32_t number) noexcept {
  const std::lock_guard hold(guard_);
  std::erase(all_, &ended);
  if (number < shared_.size()) shared_[number] = nullptr;
}

segment* segment_table::find(std::uint32_t number) noexcept {
  const std::lock_guard hold(guard_);
  return number < shared_.size() ? shared_[number] : nullptr;
}

}  // namespace atl
