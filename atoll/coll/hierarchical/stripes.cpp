// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the leaders of stripes, which follow from the team alone, so that no member need be asked.
#include <atoll/coll/hierarchical/stripes.hpp>

#include <atoll/base/copy.hpp>
#include <atoll/coll/shared/lanes.hpp>

#include <algorithm>

namespace atl::coll {

rank_id leaders_of(const call& c, unsigned wanted) {
  return wanted <= 1 ? 1 : std::min<rank_id>(wanted, hosts_of(c).least);
}

// With a root, the data of its host go to or from it at once, all others in stripes. Larger data
// may need fewer turns than smaller ones, so each stripe is asked.
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
  const bool has_whole = c.kind == collective::broadcast || c.kind == collective::scatter ||
                         c.kind == collective::gather;
  return {.of_phase = of_stripe, .total = has_whole ? std::max(total, of_whole) : total};
}

stripes::stripes(const call& c, std::size_t unit)
    : count_(c.leaders),
      own_(c.whole_team->hosts().local_index()),
      block_(c.bytes),
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

void stripes::pack(std::byte* to, const std::byte* blocks, rank_id k,
                   rank_id count) const noexcept {
  for (rank_id i = 0; i < count; ++i) {
    copy_bytes(to + i * bytes(k), blocks + i * block_ + offset(k), bytes(k));
  }
}

void stripes::unpack(std::byte* blocks, const std::byte* from, rank_id k,
                     rank_id count) const noexcept {
  for (rank_id i = 0; i < count; ++i) {
    copy_bytes(blocks + i * block_ + offset(k), from + i * bytes(k), bytes(k));
  }
}

call stripes::among_leaders(const call& c, unsigned phase) const noexcept {
  const team_hosts& hosts = c.whole_team->hosts();
  rank_id* const list = reinterpret_cast<rank_id*>(list_.data());
  for (rank_id host = 0; host < hosts.count(); ++host) list[host] = leader(c, host, own_);
  return of(c.narrow(list, hosts.count(), hosts.own_host(), phase), own_);
}

rank_id stripes::leader(const call& c, rank_id host, rank_id k) {
  if (k == 0) return c.whole_team->hosts().leader(host);
  const host_map& map = hosts_of(c);
  return map.leaders[std::size_t{host} * map.leaders_per_host + k];
}

// Calls copy(place among the blocks, place among the slots, bytes) for each part that lies
// together.
template <class Copy>
void striped_slots::for_each_part(rank_id root_host, const Copy& copy) const noexcept {
  for (std::size_t member = 0; member < map.place.size(); ++member) {
    const auto host = static_cast<rank_id>(map.place[member] / map.most);
    const std::size_t index = map.place[member] % map.most;
    if (host == root_host) copy(member * block, host * slot() + index * block, block);
    for (rank_id k = 0; host != root_host && k < cut.count(); ++k) {
      copy(member * block + cut.offset(k), offset(host, k) + index * cut.bytes(k), cut.bytes(k));
    }
  }
}

void striped_slots::to_blocks(std::byte* blocks, const std::byte* slots,
                              rank_id root_host) const noexcept {
  for_each_part(root_host, [&](std::size_t in_blocks, std::size_t in_slots, std::size_t bytes) {
    copy_bytes(blocks + in_blocks, slots + in_slots, bytes);
  });
}

void striped_slots::from_blocks(std::byte* slots, const std::byte* blocks,
                                rank_id root_host) const noexcept {
  for_each_part(root_host, [&](std::size_t in_blocks, std::size_t in_slots, std::size_t bytes) {
    copy_bytes(slots + in_slots, blocks + in_blocks, bytes);
  });
}

}  // namespace atl::coll
