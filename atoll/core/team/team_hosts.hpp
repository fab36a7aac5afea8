// SPDX-License-Identifier: BSD-3-Clause
//
// How a team lies on hosts: which members share memory with this rank, and who leads on each host.
// A host here is a neighbourhood, the ranks that map each other's memory. Hosts are numbered in the
// order in which the team first meets them; the leader of a host is its lowest member. A team on
// one host, the usual case within a machine, keeps no lists.
//
// Threads: constant after construction.
#pragma once

#include <atoll/core/job/job_hosts.hpp>
#include <atoll/core/team/rank_set.hpp>

#include <vector>

namespace atl {

class team_hosts {
 public:
  /// The hosts of `members`, of which this rank is `self`. Keeps both references.
  team_hosts(const rank_set& members, rank_id self, const job_hosts& job);

  /// Number of hosts, and which one this rank is on.
  rank_id count() const noexcept { return count_; }
  rank_id own_host() const noexcept { return own_host_; }
  bool one_host() const noexcept { return count_ == 1; }
  /// Whether the members of each host follow each other in the team.
  bool consecutive() const noexcept { return consecutive_; }

  /// Members on this rank's host: how many, which is the i-th (ascending), and where this rank is.
  rank_id local_count() const noexcept { return local_count_; }
  rank_id local(rank_id i) const noexcept { return local_.empty() ? i : local_[i]; }
  rank_id local_index() const noexcept { return local_index_; }
  /// The index among the local members of `member`; no_rank when it is on another host.
  rank_id local_index_of(rank_id member) const noexcept;

  /// The leading member of a host, and the host of a member.
  rank_id leader(rank_id host) const noexcept { return leaders_[host]; }
  rank_id host_of(rank_id member) const noexcept;
  bool leads() const noexcept { return local_index_ == 0; }

 private:
  struct place {
    rank_id neighbourhood;
    rank_id host;
  };

  const rank_set* members_;  // the team's
  const job_hosts* job_;
  rank_id count_ = 1;
  bool consecutive_ = true;
  rank_id own_host_ = 0;
  rank_id local_count_ = 0;
  rank_id local_index_ = 0;
  std::vector<rank_id> local_;    // empty when all members are here
  std::vector<rank_id> leaders_;  // by host
  std::vector<place> places_;     // sorted by neighbourhood
};

}  // namespace atl
