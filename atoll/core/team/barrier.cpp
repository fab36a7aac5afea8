// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses a barrier: the one that the setting names, if it can serve, else flags where few ranks
// have a core each, the counter where cores are shared or the team is on several hosts, messages
// where memory is not shared or there was none for the team's block.
#include <atoll/core/team/barrier.hpp>

#include <atoll/base/log.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/settings.hpp>
#include <atoll/core/team/host_barrier.hpp>
#include <atoll/core/team/message_barrier.hpp>
#include <atoll/core/team/team.hpp>

namespace atl {

namespace {

enum class barrier_algorithm {
  automatic,
  flags,
  counter,
  am
};  // the choices of ATOLL_BARRIER, in order

constexpr rank_id flags_ranks_max = 8;  // beyond, reading every line costs more than one counter

barrier_algorithm asked_algorithm(runtime& owner) {
  return static_cast<barrier_algorithm>(owner.configuration().choice(setting::barrier));
}

barrier_algorithm choose(team& team) {
  runtime& owner = team.owner();
  const barrier_algorithm asked = asked_algorithm(owner);
  if (asked == barrier_algorithm::am || team.host_block() == nullptr) return barrier_algorithm::am;
  if (asked == barrier_algorithm::automatic && !layer_access::direct_allowed(owner))
    return barrier_algorithm::am;
  if (!team.hosts().one_host()) return barrier_algorithm::counter;
  if (asked != barrier_algorithm::automatic) return asked;
  const bool few = team.size() <= flags_ranks_max && !owner.is_oversubscribed();
  return few ? barrier_algorithm::flags : barrier_algorithm::counter;
}

/// Reports, once per job, that several hosts share no flags although the setting asks for them.
void report_unused_flags(const team& team, barrier_algorithm chosen) {
  constexpr std::uint64_t id_of_world = 0;
  if (team.id() != id_of_world || team.rank() != 0 || team.hosts().one_host()) return;
  if (asked_algorithm(team.owner()) != barrier_algorithm::flags) return;
  log_warning("ATOLL_BARRIER=flags: the flags of ranks on other hosts cannot be read, so ",
              chosen == barrier_algorithm::am ? "am" : "counter",
              " is used; set ATOLL_BARRIER=counter, am or auto for a job on several hosts");
}

host_members local_members(team& team) {
  const team_hosts& hosts = team.hosts();
  host_members members{.block = team.host_block(), .self = hosts.local_index(), .bells = {}};
  for (rank_id i = 0; i < hosts.local_count(); ++i) {
    const rank_id rank = team.job_rank(hosts.local(i));
    members.bells.add(layer_access::host_memory(team.owner()).page(rank).bell);
  }
  return members;
}

// The runtime numbers teams with the upper bits of a word free, so a use fits beside the number.
std::uint64_t key_of(const team& team, barrier_use use) {
  return team.id() * team_block::uses + static_cast<std::uint64_t>(use);
}

std::unique_ptr<barrier> among_leaders(team& team, barrier_use use) {
  const team_hosts& hosts = team.hosts();
  if (!hosts.leads()) return {};
  std::vector<rank_id> leaders;
  for (rank_id host = 0; host < hosts.count(); ++host) {
    leaders.push_back(team.job_rank(hosts.leader(host)));
  }
  return std::make_unique<message_barrier>(team.owner(), key_of(team, use), rank_set(leaders),
                                           hosts.own_host());
}

}  // namespace

rank_id barrier_messengers(team& members) {
  const barrier_algorithm chosen = choose(members);
  if (chosen == barrier_algorithm::am) return members.size();
  const rank_id hosts = members.hosts().count();
  return chosen == barrier_algorithm::counter && hosts > 1 ? hosts : 0;
}

bool meets_by_flags(team& members) { return choose(members) == barrier_algorithm::flags; }

std::unique_ptr<barrier> make_barrier(team& team, barrier_use use) {
  const barrier_algorithm chosen = choose(team);
  if (use == barrier_use::plain) report_unused_flags(team, chosen);
  switch (chosen) {
    case barrier_algorithm::flags:
      return std::make_unique<flags_barrier>(local_members(team), use);
    case barrier_algorithm::am:
      return std::make_unique<message_barrier>(team.owner(), key_of(team, use), team.members(),
                                               team.rank());
    default: {
      const bool one_host = team.hosts().one_host();
      return std::make_unique<counter_barrier>(
          local_members(team), use, one_host,
          one_host ? std::unique_ptr<barrier>() : among_leaders(team, use));
    }
  }
}

}  // namespace atl
