// SPDX-License-Identifier: BSD-3-Clause
//
// Messages of a call, by the names of the mailbox.
#include <atoll/coll/engine/call.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/engine.hpp>

namespace atl::coll {

namespace {
constexpr unsigned phase_shift = 24, phase_bits = 4;
}

void copy_alone(const arguments& request) noexcept {
  if (request.kind == collective::scan && request.exclusive) return;
  if (request.to != request.from) copy_bytes(request.to, request.from, request.bytes);
}

call call::narrow(const rank_id* list, rank_id list_size, rank_id own_index,
                  unsigned phase) const noexcept {
  call part = *this;
  part.members = list;
  part.size = list_size;
  part.rank = own_index;
  part.tag_base = (tag_base << phase_bits) | phase << phase_shift;
  part.one_host = false;
  part.is_part = is_part || list != nullptr;
  return part;
}

call call::as_phase(unsigned phase) const noexcept {
  call part = narrow(members, size, rank, phase);
  part.one_host = one_host;
  return part;
}

call call::on_host(unsigned phase) const noexcept {
  const team_hosts& hosts = whole_team->hosts();
  std::vector<rank_id>& local = state->local;
  if (local.empty() && !hosts.one_host()) {
    for (rank_id i = 0; i < hosts.local_count(); ++i) local.push_back(hosts.local(i));
  }
  const rank_id* const list = hosts.one_host() ? nullptr : local.data();
  call part = narrow(list, hosts.local_count(), hosts.local_index(), phase);
  part.one_host = true;
  part.is_part = true;  // also where it needs no list
  part.turn = turn + std::uint64_t{phase - 1} * phase_turns;
  part.turns_end = part.turn + phase_turns;
  return part;
}

call call::among_leaders(rank_id* list, unsigned phase) const noexcept {
  const team_hosts& hosts = whole_team->hosts();
  for (rank_id host = 0; host < hosts.count(); ++host) list[host] = hosts.leader(host);
  list[hosts.host_of(root)] = root;
  return narrow(list, hosts.count(), hosts.own_host(), phase);
}

rank_id call::leader_on_host() const noexcept {
  const team_hosts& hosts = whole_team->hosts();
  return hosts.host_of(root) == hosts.own_host() ? hosts.local_index_of(root) : 0;
}

void call::send(transfers& group, rank_id target, std::uint32_t tag, const void* data,
                std::size_t size_bytes) noexcept {
  ATOLL_CHECK(normal, target < size && target != rank, "a collective sends to nobody", target,
              rank);
  const message_name name{.team = whole_team->id(),
                          .sequence = sequence,
                          .tag = tag_base + tag,
                          .peer = job_rank(target)};
  owner->mail().send(*op, group, name, data, size_bytes);
}

void call::receive(transfers& group, rank_id source, std::uint32_t tag, void* place,
                   std::size_t size_bytes) noexcept {
  ATOLL_CHECK(normal, source < size && source != rank, "a collective receives from nobody", source,
              rank);
  const message_name name{.team = whole_team->id(),
                          .sequence = sequence,
                          .tag = tag_base + tag,
                          .peer = job_rank(source)};
  owner->mail().receive(*op, group, name, place, size_bytes);
}

}  // namespace atl::coll
