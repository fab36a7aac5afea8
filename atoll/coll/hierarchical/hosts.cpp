// SPDX-License-Identifier: BSD-3-Clause
//
// Maps of hosts, and phases of hierarchical algorithms.
#include <atoll/coll/hierarchical/hosts.hpp>

#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/engine/recommended.hpp>

#include <algorithm>
#include <utility>

namespace atl::coll {

namespace {

// Runs a part of one member, whose result is its own contribution.
task run_alone(call& part) {
  copy_alone(part);
  co_return;
}

}  // namespace

void host_map::to_slots(std::byte* slots, const std::byte* blocks, std::size_t bytes) const {
  for (std::size_t i = 0; i < place.size(); ++i) {
    copy_bytes(slots + place[i] * bytes, blocks + i * bytes, bytes);
  }
}

void host_map::from_slots(std::byte* blocks, const std::byte* slots, std::size_t bytes) const {
  for (std::size_t i = 0; i < place.size(); ++i) {
    copy_bytes(blocks + i * bytes, slots + place[i] * bytes, bytes);
  }
}

const host_map& hosts_of(const call& call) {
  std::unique_ptr<host_map>& map = call.state->hosts;
  if (map) return *map;
  map = std::make_unique<host_map>();
  const team_hosts& hosts = call.whole_team->hosts();
  std::vector<rank_id> counts(hosts.count());
  std::vector<std::pair<rank_id, rank_id>> found;  // host, and which of its members
  for (rank_id member = 0; member < call.whole_team->size(); ++member) {
    const rank_id host = hosts.host_of(member);
    found.emplace_back(host, counts[host]++);
  }
  map->most = *std::ranges::max_element(counts);
  map->least = *std::ranges::min_element(counts);
  if (map->least > 1) map->leaders_per_host = std::min<rank_id>(map->least, leaders_max);
  map->leaders.resize(std::size_t{hosts.count()} * map->leaders_per_host);
  for (const auto& [host, index] : found) {
    if (index < map->leaders_per_host) {
      map->leaders[std::size_t{host} * map->leaders_per_host + index] =
          static_cast<rank_id>(map->place.size());
    }
    map->place.push_back(std::size_t{host} * map->most + index);
  }
  return *map;
}

task run_part(call& part) {
  if (part.size == 1) return run_alone(part);
  const choice best = recommended(part);
  part.radix = best.radix;
  return start(*best.use, part);
}

}  // namespace atl::coll
