// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the hosts of a team. One pass over the members finds hosts and leaders; a second one the
// members of this host.
#include <atoll/core/team/team_hosts.hpp>

#include <algorithm>

namespace atl {

team_hosts::team_hosts(const rank_set& members, rank_id self, const job_hosts& job)
    : members_(&members), job_(&job) {
  const rank_id hosts_max = std::min(members.size(), job.neighbourhoods());
  places_.reserve(hosts_max);  // lists that grow leave gaps in the heap
  leaders_.reserve(hosts_max);
  const auto is_before = [](const place& a, rank_id wanted) { return a.neighbourhood < wanted; };
  rank_id previous = no_rank;
  for (rank_id member = 0; member < members.size(); ++member) {
    const rank_id neighbourhood = job_->neighbourhood_of(members[member]);
    if (neighbourhood == previous) continue;
    previous = neighbourhood;
    const auto position =
        std::lower_bound(places_.begin(), places_.end(), neighbourhood, is_before);
    if (position != places_.end() && position->neighbourhood == neighbourhood) {
      consecutive_ = false;
      continue;
    }
    places_.insert(position, {neighbourhood, static_cast<rank_id>(leaders_.size())});
    leaders_.push_back(member);
  }
  count_ = static_cast<rank_id>(leaders_.size());
  own_host_ = host_of(self);
  if (count_ == 1) {
    local_count_ = members.size();
    local_index_ = self;
    return;
  }
  for (rank_id member = leaders_[own_host_]; member < members.size(); ++member) {
    if (host_of(member) == own_host_) local_.push_back(member);
  }
  local_count_ = static_cast<rank_id>(local_.size());
  local_index_ = local_index_of(self);
}

rank_id team_hosts::local_index_of(rank_id member) const noexcept {
  if (local_.empty()) return member;
  const auto found = std::lower_bound(local_.begin(), local_.end(), member);
  return found != local_.end() && *found == member ? static_cast<rank_id>(found - local_.begin())
                                                   : no_rank;
}

rank_id team_hosts::host_of(rank_id member) const noexcept {
  const rank_id neighbourhood = job_->neighbourhood_of((*members_)[member]);
  const auto found =
      std::lower_bound(places_.begin(), places_.end(), neighbourhood,
                       [](const place& a, rank_id wanted) { return a.neighbourhood < wanted; });
  return found->host;
}

}  // namespace atl
