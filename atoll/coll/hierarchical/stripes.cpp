// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the leaders of stripes, which follow from the team alone, so that no member need be asked.
#include <atoll/coll/hierarchical/stripes.hpp>

#include <atoll/coll/shared/lanes.hpp>

#include <algorithm>

namespace atl::coll {

rank_id leaders_of(const call& c, unsigned wanted) {
  return wanted <= 1 ? 1 : std::min<rank_id>(wanted, hosts_of(c).least);
}

// The data of a broadcast come to all of the root's host at once, all others go in stripes. Larger
// data may need fewer turns than smaller ones, so each stripe is asked.
stripe_turns turns_in_stripes(const call& c, unsigned phases, rank_id leaders) {
  const std::uint32_t of_whole = turns_of(c, phases);
  if (leaders == 1) return {.of_phase = of_whole, .total = phases * of_whole};
  const blocks cut(c.bytes, leaders, std::max(c.combine.element_bytes, std::size_t{1}));
  std::uint32_t of_stripe = 0;
  for (rank_id k = 0; k < leaders && cut.bytes(k) != 0; ++k) {
    call stripe = c;
    stripe.bytes = cut.bytes(k);
    of_stripe = std::max(of_stripe, turns_of(stripe, phases));
  }
  const std::uint32_t total = phases * leaders * of_stripe;
  return {.of_phase = of_stripe,
          .total = c.kind == collective::broadcast ? std::max(total, of_whole) : total};
}

stripes::stripes(const call& c, std::size_t unit)
    : count_(c.leaders),
      own_(c.whole_team->hosts().local_index()),
      unit_(unit),
      cut_(c.bytes, count_, unit),
      list_(c.memory(), leads() ? c.whole_team->hosts().count() * sizeof(rank_id) : 0) {}

call stripes::of(call part, rank_id k) const noexcept {
  if (part.from != nullptr) part.from += offset(k);
  if (part.to != nullptr) part.to += offset(k);
  part.bytes = bytes(k);
  part.count = part.bytes / unit_;
  return part;
}

call stripes::among_leaders(const call& c, unsigned phase) const noexcept {
  const team_hosts& hosts = c.whole_team->hosts();
  rank_id* const list = reinterpret_cast<rank_id*>(list_.data());
  for (rank_id host = 0; host < hosts.count(); ++host) list[host] = leader(c, host, own_);
  return of(c.narrow(list, hosts.count(), hosts.own_host(), phase), own_);
}

rank_id stripes::leader(const call& c, rank_id host, rank_id k) {
  const host_map& map = hosts_of(c);
  return map.leaders[std::size_t{host} * map.leaders_per_host + k];
}

}  // namespace atl::coll
