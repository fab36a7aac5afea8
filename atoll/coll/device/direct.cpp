// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of device memory that go directly: the members tell each other where their sources
// are, each reads what it wants, and all meet again before a source may change. A member begins
// with what is its own and goes on with the next member's, so that no source is read by all at
// once. A long broadcast goes in slices: each member reads another slice from the root, and then
// the other slices from the members that have them, so the root's memory is read once and not by
// every member.
#include <atoll/base/rounding.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/device/device_collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <algorithm>

namespace atl::coll {

bool device_collectives::reads_all(const team& team) noexcept {
  runtime& job = memory_.owner();
  bool all = true;
  for (rank_id member = 0; member < team.size(); ++member) {
    const rank_id peer = team.job_rank(member);
    if (reaches_[peer] == reach::unknown)
      reaches_[peer] = layer_access::devices(job).reads_without_stop(memory_, peer) ? reach::direct
                                                                                    : reach::stops;
    all = all && reaches_[peer] == reach::direct;
  }
  return all;
}

// All members take the same way, so each must know of all.
device_collectives::way device_collectives::agree_on_way(team& team, const void* source) noexcept {
  entries_.resize(team.size());
  const entry own{.source = reinterpret_cast<std::uintptr_t>(source), .reads_all = reads_all(team)};
  if (coll::allgather(team, entries_.data(), &own, sizeof own) != operation_status::done)
    return way::lost;
  if (!std::ranges::all_of(entries_, [](const entry& each) { return each.reads_all != 0; }))
    return way::staged;
  ++direct_calls_;
  return way::direct;
}

// The member's own block in place is there already.
void device_collectives::start_read(const team& team, rank_id member, std::byte* target,
                                    std::uint64_t offset, std::size_t bytes) noexcept {
  auto* const source = reinterpret_cast<std::byte*>(entries_[member].source + offset);
  if (bytes == 0 || (member == team.rank() && source == target)) return;
  reads_.emplace_back();
  get_nb(memory_, target, team.job_rank(member), source, bytes, reads_.back(),
         {.device = memory_.own_part().device});
}

operation_status device_collectives::finish_reads(team& team) noexcept {
  operation_status status = operation_status::done;
  for (event& each : reads_) status = std::max(status, memory_.owner().wait(each));
  reads_.clear();
  event all = team.start_barrier();
  return std::max(status, memory_.owner().wait(all));
}

operation_status device_collectives::broadcast_directly(team& team, rank_id root, std::byte* data,
                                                        std::size_t bytes) noexcept {
  if (bytes >= split_least && team.size() >= split_members)
    return broadcast_in_slices(team, root, data, bytes);
  if (team.rank() != root) start_read(team, root, data, 0, bytes);
  return finish_reads(team);
}

// Members but the root have slices, in the order that begins behind the root.
operation_status device_collectives::broadcast_in_slices(team& team, rank_id root, std::byte* data,
                                                         std::size_t bytes) noexcept {
  const rank_id members = team.size();
  const std::size_t slices = members - 1;
  const std::size_t slice = round_up(pieces_of(bytes, slices), 256);
  const auto first = [&](rank_id place) { return std::min(bytes, (place - 1) * slice); };
  const auto read = [&](rank_id from, rank_id place) {
    const std::size_t begin = first(place);
    start_read(team, from, data + begin, begin, std::min(slice, bytes - begin));
  };
  const rank_id own = (team.rank() + members - root) % members;  // 0: the root
  if (own != 0) read(root, own);
  const operation_status scattered = finish_reads(team);
  for (rank_id turn = 1; own != 0 && turn < slices; ++turn) {
    const rank_id place = (own - 1 + turn) % static_cast<rank_id>(slices) + 1;
    read((root + place) % members, place);
  }
  return std::max(scattered, finish_reads(team));
}

}  // namespace atl::coll
