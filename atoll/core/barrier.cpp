// SPDX-License-Identifier: BSD-3-Clause
//
// Which barrier to use: what the setting says, else flags where few ranks all have a core of their
// own, the counter where cores are shared or the team is on several hosts, messages where memory
// is not shared or there was none for the team's block.
#include <atoll/core/barrier.hpp>

#include <atoll/core/host_barrier.hpp>
#include <atoll/core/message_barrier.hpp>
#include <atoll/core/runtime.hpp>
#include <atoll/core/team.hpp>

namespace atl {

namespace {

enum class algorithm { automatic, flags, counter, am };  // the choices of ATOLL_BARRIER, in order

constexpr rank_id flags_ranks_max = 8;  // beyond, reading every line costs more than one counter

algorithm choose(team& of) {
  runtime& owner = of.owner();
  const auto asked = static_cast<algorithm>(owner.configuration().choice(setting::barrier));
  if (asked == algorithm::am || of.host_block() == nullptr) return algorithm::am;
  if (asked == algorithm::automatic && !owner.direct_allowed()) return algorithm::am;
  if (!of.hosts().one_host()) return algorithm::counter;
  if (asked != algorithm::automatic) return asked;
  const bool few = of.size() <= flags_ranks_max && !owner.crowded();
  return few ? algorithm::flags : algorithm::counter;
}

host_members members_here(team& of) {
  const team_hosts& hosts = of.hosts();
  host_members here{.block = of.host_block(), .self = hosts.local_index(), .others = {}};
  for (rank_id i = 0; i < hosts.local_count(); ++i) {
    if (i == here.self) continue;
    const rank_id rank = of.job_rank(hosts.local(i));
    here.others.push_back(&of.owner().host_memory().page(rank).bell);
  }
  return here;
}

// The runtime numbers teams with the upper bits of a word free, so a use fits beside the number.
std::uint64_t key_of(const team& of, barrier_use use) {
  return of.id() * team_block::uses + static_cast<std::uint64_t>(use);
}

std::unique_ptr<barrier> among_leaders(team& of, barrier_use use) {
  const team_hosts& hosts = of.hosts();
  if (!hosts.leads()) return {};
  std::vector<rank_id> leaders;
  for (rank_id host = 0; host < hosts.count(); ++host) {
    leaders.push_back(of.job_rank(hosts.leader(host)));
  }
  return std::make_unique<message_barrier>(of.owner(), key_of(of, use), rank_set(leaders),
                                           hosts.mine());
}

}  // namespace

std::unique_ptr<barrier> make_barrier(team& of, barrier_use use) {
  switch (choose(of)) {
    case algorithm::flags:
      return std::make_unique<flags_barrier>(members_here(of), use);
    case algorithm::am:
      return std::make_unique<message_barrier>(of.owner(), key_of(of, use), of.members(),
                                               of.rank());
    default: {
      const bool one_host = of.hosts().one_host();
      return std::make_unique<counter_barrier>(
          members_here(of), use, one_host,
          one_host ? std::unique_ptr<barrier>() : among_leaders(of, use));
    }
  }
}

}  // namespace atl
