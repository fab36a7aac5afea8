// SPDX-License-Identifier: BSD-3-Clause
//
// Recognising progressions, and finding members.
#include <atoll/core/team/rank_set.hpp>

#include <algorithm>
#include <numeric>

namespace atl {

namespace {

std::int64_t distance(slice<const rank_id> ranks, std::size_t from) {
  return std::int64_t{ranks[from + 1]} - std::int64_t{ranks[from]};
}

bool is_progression_of(slice<const rank_id> ranks) {
  if (ranks.size() > 1 && distance(ranks, 0) == 0) return false;  // a mistake, for others to refuse
  for (std::size_t i = 1; i + 1 < ranks.size(); ++i) {
    if (distance(ranks, i) != distance(ranks, 0)) return false;
  }
  return true;
}

}  // namespace

rank_set rank_set::progression(rank_id first, std::int64_t stride, rank_id count) noexcept {
  rank_set made;
  made.first_ = first;
  made.stride_ = count > 1 ? stride : 1;
  made.count_ = count;
  return made;
}

rank_set::rank_set(slice<const rank_id> ranks) : count_(static_cast<rank_id>(ranks.size())) {
  if (ranks.empty()) return;
  first_ = ranks[0];
  if (is_progression_of(ranks)) {
    if (ranks.size() > 1) stride_ = distance(ranks, 0);
    return;
  }
  list_.assign(ranks.begin(), ranks.end());
  by_rank_.resize(ranks.size());
  std::iota(by_rank_.begin(), by_rank_.end(), rank_id{0});
  std::sort(by_rank_.begin(), by_rank_.end(),
            [&](rank_id a, rank_id b) { return list_[a] < list_[b]; });
}

rank_id rank_set::find(rank_id rank) const noexcept {
  if (is_progression()) {
    const std::int64_t offset = std::int64_t{rank} - std::int64_t{first_};
    if (count_ == 0 || offset % stride_ != 0) return no_rank;
    const std::int64_t member = offset / stride_;
    return member >= 0 && member < std::int64_t{count_} ? static_cast<rank_id>(member) : no_rank;
  }
  const auto found =
      std::lower_bound(by_rank_.begin(), by_rank_.end(), rank,
                       [&](rank_id member, rank_id wanted) { return list_[member] < wanted; });
  return found != by_rank_.end() && list_[*found] == rank ? *found : no_rank;
}

}  // namespace atl
