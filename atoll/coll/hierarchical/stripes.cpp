// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the leaders of stripes, which follow from the team alone, so that no member need be asked.
#include <atoll/coll/hierarchical/stripes.hpp>

#include <algorithm>

namespace atl::coll {

rank_id leaders_of(const call& c) {
  return c.leaders == 1 ? 1 : std::min<rank_id>(c.leaders, hosts_of(c).least);
}

stripes::stripes(const call& c, std::size_t unit)
    : count_(leaders_of(c)),
      own_(c.whole_team->hosts().local_index()),
      unit_(unit),
      cut_(c.bytes, count_, unit) {}

call stripes::of(call part, rank_id k) const noexcept {
  if (part.from != nullptr) part.from += offset(k);
  if (part.to != nullptr) part.to += offset(k);
  part.bytes = bytes(k);
  part.count = part.bytes / unit_;
  return part;
}

call stripes::among_leaders(const call& c, rank_id* list, unsigned phase) const noexcept {
  const team_hosts& hosts = c.whole_team->hosts();
  for (rank_id host = 0; host < hosts.count(); ++host) list[host] = leader(c, host, own_);
  return of(c.narrow(list, hosts.count(), hosts.own_host(), phase), own_);
}

rank_id stripes::leader(const call& c, rank_id host, rank_id k) {
  const host_map& map = hosts_of(c);
  return map.members[std::size_t{host} * map.most + k];
}

}  // namespace atl::coll
