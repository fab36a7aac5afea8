// SPDX-License-Identifier: BSD-3-Clause
//
// The segments of one rank: those that are shared, by their number, and all of them, so that a rank
// that is lost is closed in each. Ranks agree on the number of a new segment: each says which it
// has not used yet, and the largest is taken, so a rank may have numbers without a segment.
//
// Threads: any; one lock, held for a look-up.
#pragma once

#include <atoll/base/rank.hpp>

#include <cstdint>
#include <mutex>
#include <vector>

namespace atl {

class segment;

class segment_table {
 public:
  /// A number that this rank has given to no segment.
  std::uint32_t next_number() noexcept;

  /// Adds a segment that was made, notes the number of one that was shared, forgets one that ends.
  void add(segment& made);
  void note(segment& shared, std::uint32_t number);
  void forget(const segment& ended, std::uint32_t number) noexcept;

  /// The segment that this rank has shared under this number; null when there is none.
  segment* find(std::uint32_t number) noexcept;

  /// Calls `visit` for each segment, shared or not, while none can end.
  template <class Visit>
  void for_each(Visit visit) {
    const std::lock_guard hold(guard_);
    for (segment* const each : all_) visit(*each);
  }

 private:
  std::mutex guard_;
  std::vector<segment*> shared_;  // by number; null for numbers that this rank has skipped
  std::vector<segment*> all_;
};

}  // namespace atl
