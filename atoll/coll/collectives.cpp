// SPDX-License-Identifier: BSD-3-Clause
//
// The public functions of the collectives: each fills in the arguments and hands them to the
// engine. Arguments that a caller does not give keep the defaults of `arguments`. Counts become
// bytes here and nowhere else, so a product that overflows is detected here. Threads: as the
// engine.
#include <atoll/coll/collectives.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/job/runtime.hpp>

#include <cstddef>

namespace atl::coll {

// Programs pass these, and the stamp of the core's layouts does not cover them: when a member is
// added, count up the stamp of `runtime_layout` so that an older program is refused, then correct
// the sizes here. The last members are named because one more could lie in the padding behind them.
static_assert(sizeof(choice) == 40 && offsetof(choice, ends_together) == 38);
static_assert(sizeof(reduction) == 32 && offsetof(reduction, commutative) == 24);

namespace {

const std::byte* bytes_at(const void* address) { return static_cast<const std::byte*>(address); }
std::byte* bytes_at(void* address) { return static_cast<std::byte*>(address); }

arguments moving(collective kind, void* to, const void* from, std::size_t bytes) {
  return {.kind = kind, .from = bytes_at(from), .to = bytes_at(to), .bytes = bytes};
}

arguments rooted(collective kind, rank_id root, void* to, const void* from, std::size_t bytes) {
  arguments request = moving(kind, to, from, bytes);
  request.root = root;
  return request;
}

// The size of `count` elements. A product that overflows must not be taken for a small size.
std::size_t bytes_of(std::size_t count, const reduction& combiner) {
  std::size_t bytes;
  const bool wraps = __builtin_mul_overflow(count, combiner.element_bytes, &bytes);
  ATOLL_ASSERT(!wraps, "a reduction of more bytes than there are addresses", count,
               combiner.element_bytes);
  return bytes;
}

arguments combining(collective kind, void* to, const void* from, std::size_t count,
                    const reduction& combiner) {
  arguments request = moving(kind, to, from, bytes_of(count, combiner));
  request.count = count;
  request.combine = combiner;
  return request;
}

arguments scanning(void* to, const void* from, std::size_t count, const reduction& combiner,
                   scan_kind kind) {
  arguments request = combining(collective::scan, to, from, count, combiner);
  request.exclusive = kind == scan_kind::exclusive;
  return request;
}

arguments combining_at(rank_id root, void* to, const void* from, std::size_t count,
                       const reduction& combiner) {
  arguments request = combining(collective::reduce, to, from, count, combiner);
  request.root = root;
  return request;
}

}  // namespace

event start_broadcast(team& team, rank_id root, void* to, const void* from, std::size_t bytes,
                      const choice& options) noexcept {
  return open(team.owner())
      .start(team, rooted(collective::broadcast, root, to, from, bytes), options);
}
operation_status broadcast(team& team, rank_id root, void* to, const void* from, std::size_t bytes,
                           const choice& options) noexcept {
  return open(team.owner())
      .run(team, rooted(collective::broadcast, root, to, from, bytes), options);
}

event start_reduce(team& team, rank_id root, void* to, const void* from, std::size_t count,
                   const reduction& combiner, const choice& options) noexcept {
  return open(team.owner()).start(team, combining_at(root, to, from, count, combiner), options);
}
operation_status reduce(team& team, rank_id root, void* to, const void* from, std::size_t count,
                        const reduction& combiner, const choice& options) noexcept {
  return open(team.owner()).run(team, combining_at(root, to, from, count, combiner), options);
}

event start_allreduce(team& team, void* to, const void* from, std::size_t count,
                      const reduction& combiner, const choice& options) noexcept {
  return open(team.owner())
      .start(team, combining(collective::allreduce, to, from, count, combiner), options);
}
operation_status allreduce(team& team, void* to, const void* from, std::size_t count,
                           const reduction& combiner, const choice& options) noexcept {
  return open(team.owner())
      .run(team, combining(collective::allreduce, to, from, count, combiner), options);
}

event start_scatter(team& team, rank_id root, void* to, const void* from, std::size_t bytes,
                    const choice& options) noexcept {
  return open(team.owner())
      .start(team, rooted(collective::scatter, root, to, from, bytes), options);
}
operation_status scatter(team& team, rank_id root, void* to, const void* from, std::size_t bytes,
                         const choice& options) noexcept {
  return open(team.owner()).run(team, rooted(collective::scatter, root, to, from, bytes), options);
}

event start_gather(team& team, rank_id root, void* to, const void* from, std::size_t bytes,
                   const choice& options) noexcept {
  return open(team.owner()).start(team, rooted(collective::gather, root, to, from, bytes), options);
}
operation_status gather(team& team, rank_id root, void* to, const void* from, std::size_t bytes,
                        const choice& options) noexcept {
  return open(team.owner()).run(team, rooted(collective::gather, root, to, from, bytes), options);
}

event start_allgather(team& team, void* to, const void* from, std::size_t bytes,
                      const choice& options) noexcept {
  return open(team.owner()).start(team, moving(collective::allgather, to, from, bytes), options);
}
operation_status allgather(team& team, void* to, const void* from, std::size_t bytes,
                           const choice& options) noexcept {
  return open(team.owner()).run(team, moving(collective::allgather, to, from, bytes), options);
}

event start_alltoall(team& team, void* to, const void* from, std::size_t bytes,
                     const choice& options) noexcept {
  return open(team.owner()).start(team, moving(collective::alltoall, to, from, bytes), options);
}
operation_status alltoall(team& team, void* to, const void* from, std::size_t bytes,
                          const choice& options) noexcept {
  return open(team.owner()).run(team, moving(collective::alltoall, to, from, bytes), options);
}

event start_scan(team& team, void* to, const void* from, std::size_t count,
                 const reduction& combiner, scan_kind kind, const choice& options) noexcept {
  return open(team.owner()).start(team, scanning(to, from, count, combiner, kind), options);
}
operation_status scan(team& team, void* to, const void* from, std::size_t count,
                      const reduction& combiner, scan_kind kind, const choice& options) noexcept {
  return open(team.owner()).run(team, scanning(to, from, count, combiner, kind), options);
}

}  // namespace atl::coll
