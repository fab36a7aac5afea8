// SPDX-License-Identifier: BSD-3-Clause
//
// From the public functions to the engine: each function fills in the arguments. Arguments that a
// caller does not give keep the defaults of `arguments`. Counts become bytes here and nowhere else,
// so a product that overflows is detected here. Threads: as the engine.
#include <atoll/coll/collectives.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/core/runtime.hpp>

namespace atl::coll {

namespace {

const std::byte* bytes_at(const void* at) { return static_cast<const std::byte*>(at); }
std::byte* bytes_at(void* at) { return static_cast<std::byte*>(at); }

arguments moving(collective what, void* to, const void* from, std::size_t bytes) {
  return {.what = what, .from = bytes_at(from), .to = bytes_at(to), .bytes = bytes};
}

arguments rooted(collective what, rank_id root, void* to, const void* from, std::size_t bytes) {
  arguments all = moving(what, to, from, bytes);
  all.root = root;
  return all;
}

// As many bytes as there are, so that a product that wraps is not taken for a small one.
std::size_t bytes_of(std::size_t count, const reduction& with) {
  std::size_t bytes;
  const bool wraps = __builtin_mul_overflow(count, with.element_bytes, &bytes);
  ATOLL_ASSERT(!wraps, "a reduction of more bytes than there are addresses", count,
               with.element_bytes);
  return bytes;
}

arguments combining(collective what, void* to, const void* from, std::size_t count,
                    const reduction& with) {
  arguments all = moving(what, to, from, bytes_of(count, with));
  all.count = count;
  all.combine = with;
  return all;
}

arguments scanning(void* to, const void* from, std::size_t count, const reduction& with,
                   scan_kind kind) {
  arguments all = combining(collective::scan, to, from, count, with);
  all.exclusive = kind == scan_kind::exclusive;
  return all;
}

arguments combining_at(rank_id root, void* to, const void* from, std::size_t count,
                       const reduction& with) {
  arguments all = combining(collective::reduce, to, from, count, with);
  all.root = root;
  return all;
}

}  // namespace

event start_broadcast(team& on, rank_id root, void* to, const void* from, std::size_t bytes,
                      const choice& how) noexcept {
  return open(on.owner()).start(on, rooted(collective::broadcast, root, to, from, bytes), how);
}
void broadcast(team& on, rank_id root, void* to, const void* from, std::size_t bytes,
               const choice& how) noexcept {
  open(on.owner()).run(on, rooted(collective::broadcast, root, to, from, bytes), how);
}

event start_reduce(team& on, rank_id root, void* to, const void* from, std::size_t count,
                   const reduction& with, const choice& how) noexcept {
  return open(on.owner()).start(on, combining_at(root, to, from, count, with), how);
}
void reduce(team& on, rank_id root, void* to, const void* from, std::size_t count,
            const reduction& with, const choice& how) noexcept {
  open(on.owner()).run(on, combining_at(root, to, from, count, with), how);
}

event start_allreduce(team& on, void* to, const void* from, std::size_t count,
                      const reduction& with, const choice& how) noexcept {
  return open(on.owner()).start(on, combining(collective::allreduce, to, from, count, with), how);
}
void allreduce(team& on, void* to, const void* from, std::size_t count, const reduction& with,
               const choice& how) noexcept {
  open(on.owner()).run(on, combining(collective::allreduce, to, from, count, with), how);
}

event start_scatter(team& on, rank_id root, void* to, const void* from, std::size_t bytes,
                    const choice& how) noexcept {
  return open(on.owner()).start(on, rooted(collective::scatter, root, to, from, bytes), how);
}
void scatter(team& on, rank_id root, void* to, const void* from, std::size_t bytes,
             const choice& how) noexcept {
  open(on.owner()).run(on, rooted(collective::scatter, root, to, from, bytes), how);
}

event start_gather(team& on, rank_id root, void* to, const void* from, std::size_t bytes,
                   const choice& how) noexcept {
  return open(on.owner()).start(on, rooted(collective::gather, root, to, from, bytes), how);
}
void gather(team& on, rank_id root, void* to, const void* from, std::size_t bytes,
            const choice& how) noexcept {
  open(on.owner()).run(on, rooted(collective::gather, root, to, from, bytes), how);
}

event start_allgather(team& on, void* to, const void* from, std::size_t bytes,
                      const choice& how) noexcept {
  return open(on.owner()).start(on, moving(collective::allgather, to, from, bytes), how);
}
void allgather(team& on, void* to, const void* from, std::size_t bytes,
               const choice& how) noexcept {
  open(on.owner()).run(on, moving(collective::allgather, to, from, bytes), how);
}

event start_alltoall(team& on, void* to, const void* from, std::size_t bytes,
                     const choice& how) noexcept {
  return open(on.owner()).start(on, moving(collective::alltoall, to, from, bytes), how);
}
void alltoall(team& on, void* to, const void* from, std::size_t bytes, const choice& how) noexcept {
  open(on.owner()).run(on, moving(collective::alltoall, to, from, bytes), how);
}

event start_scan(team& on, void* to, const void* from, std::size_t count, const reduction& with,
                 scan_kind kind, const choice& how) noexcept {
  return open(on.owner()).start(on, scanning(to, from, count, with, kind), how);
}
void scan(team& on, void* to, const void* from, std::size_t count, const reduction& with,
          scan_kind kind, const choice& how) noexcept {
  open(on.owner()).run(on, scanning(to, from, count, with, kind), how);
}

}  // namespace atl::coll
