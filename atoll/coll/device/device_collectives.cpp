// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of device memory that are staged. All have one loop: while members work on one piece,
// the next is read and the last is written. Two halves of the staging memory take turns.
#include <atoll/base/assert.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/device/device_collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <algorithm>

namespace atl::coll {

device_collectives::device_collectives(segment& memory) : memory_(memory) {
  // A call has at most a transfer per member under way in each list, so no call allocates.
  const rank_id members_max = memory.owner().size();
  for (stage& each : halves_) {
    each.reads.reserve(members_max);
    each.writes.reserve(members_max);
  }
  reads_.reserve(members_max);
  entries_.reserve(members_max);
  reaches_.resize(members_max, reach::unknown);
  constexpr std::size_t bytes = 4 * staging_bytes;
  memory::device* const device = memory.own_part().device;
  if (device != nullptr) pinned_ = device->pin(bytes);
  if (pinned_ == nullptr) ordinary_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  std::byte* next = pinned_ != nullptr ? pinned_ : ordinary_.get();
  for (stage& each : halves_) {
    each.in = next;
    each.out = next + staging_bytes;
    next += 2 * staging_bytes;
  }
}

device_collectives::~device_collectives() {
  if (pinned_ != nullptr) memory_.own_part().device->unpin(pinned_);
}

void device_collectives::wait(std::vector<event>& copies) noexcept {
  for (event& each : copies) memory_.owner().wait(each);
  copies.clear();
}

void device_collectives::start_reads(const shape& call, stage& half, std::size_t offset,
                                     std::size_t bytes) noexcept {
  for (std::size_t block = 0; block < call.reads; ++block) {
    half.reads.emplace_back();
    get_nb(memory_, half.in + block * bytes, memory_.owner().rank(),
           call.source + block * call.bytes + offset, bytes, half.reads.back());
  }
}

void device_collectives::start_writes(const shape& call, stage& half, std::size_t offset,
                                      std::size_t bytes) noexcept {
  for (std::size_t block = 0; block < call.writes; ++block) {
    half.writes.emplace_back();
    put_nb(memory_, memory_.owner().rank(), call.target + block * call.bytes + offset,
           half.out + block * bytes, bytes, half.writes.back(), {.keeps_source = true});
  }
}

/// Calls collective(out, in, bytes) for one piece after the other.
template <class Collective>
operation_status device_collectives::run(const shape& call, Collective collective) noexcept {
  const std::size_t most = staging_bytes / call.blocks / call.unit * call.unit;
  ATOLL_ASSERT(most != 0, "the staging memory holds no piece", call.blocks, call.unit);
  operation_status status = operation_status::done;
  if (call.bytes != 0) start_reads(call, halves_[0], 0, std::min(most, call.bytes));
  for (std::size_t offset = 0, turn = 0; offset < call.bytes; offset += most, turn ^= 1) {
    stage& half = halves_[turn];
    const std::size_t bytes = std::min(most, call.bytes - offset);
    wait(half.reads);
    wait(half.writes);
    if (const std::size_t next = offset + bytes; next < call.bytes)
      start_reads(call, halves_[turn ^ 1], next, std::min(most, call.bytes - next));
    status = std::max(status, collective(half.out, half.in, bytes));
    start_writes(call, half, offset, bytes);
  }
  for (stage& each : halves_) wait(each.writes);
  return status;
}

operation_status device_collectives::broadcast(team& team, rank_id root, void* data,
                                               std::size_t bytes) noexcept {
  const bool is_root = team.rank() == root;
  if (bytes == 0) return operation_status::done;
  if (const way chosen = agree_on_way(team, data); chosen != way::staged) {
    return chosen == way::lost
               ? operation_status::peer_lost
               : broadcast_directly(team, root, static_cast<std::byte*>(data), bytes);
  }
  const shape call{.target = static_cast<std::byte*>(data),
                   .source = static_cast<std::byte*>(data),
                   .bytes = bytes,
                   .reads = is_root ? 1U : 0U,
                   .writes = is_root ? 0U : 1U,
                   .blocks = 1};
  return run(call, [&](std::byte* out, const std::byte* in, std::size_t piece) {
    return coll::broadcast(team, root, out, in, piece);
  });
}

operation_status device_collectives::allreduce(team& team, void* target, const void* source,
                                               std::size_t count,
                                               const reduction& combiner) noexcept {
  std::size_t bytes;
  const bool wraps = __builtin_mul_overflow(count, combiner.element_bytes, &bytes);
  if (wraps || combiner.element_bytes > staging_bytes) {
    memory_.owner().fail(text("all-reduce of ", count, " elements of ", combiner.element_bytes,
                              " bytes in device memory"),
                         wraps ? text("no address space holds them")
                               : text("an element may have at most ", staging_bytes, " bytes"),
                         "combine smaller elements, or copy them to the host's memory first");
  }
  const shape call{.target = static_cast<std::byte*>(target),
                   .source = static_cast<const std::byte*>(source),
                   .bytes = bytes,
                   .reads = 1,
                   .writes = 1,
                   .blocks = 1,
                   .unit = combiner.element_bytes};
  return run(call, [&](std::byte* out, const std::byte* in, std::size_t piece) {
    return coll::allreduce(team, out, in, piece / combiner.element_bytes, combiner);
  });
}

operation_status device_collectives::allgather(team& team, void* target, const void* source,
                                               std::size_t bytes) noexcept {
  if (bytes == 0) return operation_status::done;
  if (const way chosen = agree_on_way(team, source); chosen != way::staged) {
    if (chosen == way::lost) return operation_status::peer_lost;
    for (rank_id turn = 0; turn < team.size(); ++turn) {
      const rank_id member = (team.rank() + turn) % team.size();
      start_read(team, member, static_cast<std::byte*>(target) + member * bytes, 0, bytes);
    }
    return finish_reads(team);
  }
  const shape call{.target = static_cast<std::byte*>(target),
                   .source = static_cast<const std::byte*>(source),
                   .bytes = bytes,
                   .reads = 1,
                   .writes = team.size(),
                   .blocks = team.size()};
  return run(call, [&](std::byte* out, const std::byte* in, std::size_t piece) {
    return coll::allgather(team, out, in, piece);
  });
}

operation_status device_collectives::alltoall(team& team, void* target, const void* source,
                                              std::size_t bytes) noexcept {
  if (bytes == 0) return operation_status::done;
  if (const way chosen = agree_on_way(team, source); chosen != way::staged) {
    if (chosen == way::lost) return operation_status::peer_lost;
    for (rank_id turn = 0; turn < team.size(); ++turn) {
      const rank_id member = (team.rank() + turn) % team.size();
      start_read(team, member, static_cast<std::byte*>(target) + member * bytes,
                 team.rank() * bytes, bytes);
    }
    return finish_reads(team);
  }
  const shape call{.target = static_cast<std::byte*>(target),
                   .source = static_cast<const std::byte*>(source),
                   .bytes = bytes,
                   .reads = team.size(),
                   .writes = team.size(),
                   .blocks = team.size()};
  return run(call, [&](std::byte* out, const std::byte* in, std::size_t piece) {
    return coll::alltoall(team, out, in, piece);
  });
}

}  // namespace atl::coll
