// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers and collectives of data: those of teams, and those of active sets. The results are
// symmetric, so members on one host write straight into each other's results, and then meet in a
// barrier. That is one copy of each block; the core's algorithms, which know nothing about the
// results, need two. No member asks whether a result may be written yet, because the specification
// makes the program responsible for that. Between hosts, and where many members read one block,
// data travel by the core's collectives.
#include <atoll/coll/collectives.hpp>

#include <atoll/base/text.hpp>
#include <front/shmem/active_set.hpp>
#include <front/shmem/checks.hpp>
#include <front/shmem/transfer.hpp>

#include <cstring>
#include <numeric>
#include <vector>

namespace atl::shmem {
namespace {

int job_pe(const atl::team& team, rank_id member) noexcept {
  return static_cast<int>(team.job_rank(member));
}

/// From this size on a broadcast between two members is a copy and a barrier; the core's broadcast
/// of fewer bytes takes less time than a barrier.
constexpr std::size_t direct_broadcast_min = 1024;

/// Whether members write straight into each other's results. The core handles a result in private
/// memory: the specification does not allow it, but implementations that send messages do, and
/// programs rely on them. It is private on all members then, so all decide alike.
bool can_write_results(process_state& us, const atl::team& among, const void* dest) noexcept {
  return among.hosts().one_host() && offset_of(us, dest).memory != nullptr;
}

/// Writes a block to `dest`, a symmetric address, of every member: block_for(member). Each member
/// begins with itself, so that no two members write to the same one at a time.
template <class Block>
void write_to_all(const char* call, atl::team& among, void* dest, std::size_t bytes,
                  Block block_for) {
  process_state& us = *the_process;
  context_state& context = context_of(call, SHMEM_CTX_DEFAULT);
  for (rank_id step = 0; step < among.size() && bytes != 0; ++step) {
    const rank_id member = (among.rank() + step) % among.size();
    const void* const block = block_for(member);
    if (member == among.rank() && block == dest) continue;
    const remote_object to = find_place(us, call, dest, bytes, job_pe(among, member));
    if (!put_mapped(*to.memory, to.rank, to.address, block, bytes))
      put_remote(context, to, block, bytes, {.keeps_source = true});
  }
  quiet(context);
}

// The members' blocks may differ in size, so each learns all sizes first.
void collect(const char* call, atl::team& among, void* dest, const void* source,
             std::size_t bytes) {
  process_state& us = running(call);
  check_collective(us, among,
                   {.name = call,
                    .dest = dest,
                    .dest_bytes = 0,
                    .source = source,
                    .source_bytes = bytes,
                    .agreed_bytes = 0});
  const rank_id size = among.size();
  std::vector<std::uint64_t> sizes(size);
  const std::uint64_t own = bytes;
  coll::allgather(among, sizes.data(), &own, sizeof own);
  const auto offset = std::accumulate(sizes.begin(), sizes.begin() + among.rank(), std::size_t{0});
  write_to_all(call, among, static_cast<std::byte*>(dest) + offset, bytes,
               [=](rank_id) { return source; });
  among.barrier();
}

/// The strides of alltoalls, in elements of so many bytes.
struct spread {
  std::ptrdiff_t dst;
  std::ptrdiff_t sst;
  std::size_t element_bytes;
};

void alltoalls(const char* call, atl::team& among, void* dest, const void* source,
               const spread& strides, std::size_t count) {
  check_collective(running(call), among,
                   {.name = call,
                    .dest = dest,
                    .dest_bytes = 0,
                    .source = source,
                    .source_bytes = 0,
                    .agreed_bytes = count * strides.element_bytes});
  const auto unit = static_cast<std::ptrdiff_t>(strides.element_bytes);
  const auto block = [&](std::ptrdiff_t stride, rank_id number) {
    return static_cast<std::ptrdiff_t>(number * count) * stride * unit;
  };
  for (rank_id step = 0; step < among.size(); ++step) {
    const rank_id member = (among.rank() + step) % among.size();
    put_blocks(call, SHMEM_CTX_DEFAULT,
               static_cast<std::byte*>(dest) + block(strides.dst, among.rank()),
               static_cast<const std::byte*>(source) + block(strides.sst, member),
               {strides.dst * unit, strides.sst * unit, strides.element_bytes, count},
               job_pe(among, member));
  }
  quiet(context_of(call, SHMEM_CTX_DEFAULT));
  among.barrier();
}

/// Whether the root's own result is written as well: in a team's broadcast, not in an active set's.
enum class root_result : bool { stays, is_written };

// Between two members it is one copy and a barrier. Among more, the core lets all copy at once.
void broadcast(const char* call, atl::team& among, rank_id root, void* dest, const void* source,
               std::size_t bytes, root_result own) {
  check_collective(*the_process, among,
                   {.name = call,
                    .dest = dest,
                    .dest_bytes = bytes,
                    .source = source,
                    .source_bytes = bytes,
                    .agreed_bytes = bytes,
                    .root = static_cast<int>(root)});
  const bool is_root = among.rank() == root;
  void* const to = is_root && own == root_result::stays ? const_cast<void*>(source) : dest;
  if (bytes < direct_broadcast_min || among.size() != 2 ||
      !can_write_results(*the_process, among, dest)) {
    coll::broadcast(among, root, to, source, bytes);
    return;
  }
  if (is_root) {
    put_nbi(call, SHMEM_CTX_DEFAULT, dest, source, bytes, job_pe(among, 1 - root));
    if (to != source) std::memcpy(to, source, bytes);
    quiet(context_of(call, SHMEM_CTX_DEFAULT));
  }
  among.barrier();
}

// --- of teams

atl::team& core_of(const char* call, shmem_team_t team) noexcept {
  running(call);
  return *team_of(call, team).core;
}

int team_broadcast(shmem_team_t team, void* dest, const void* source, std::size_t bytes, int root) {
  static constexpr const char* call = "shmem_broadcast";
  atl::team& among = core_of(call, team);
  if (root < 0 || root >= team->size) refuse_pe(call, root, team->size);
  broadcast(call, among, static_cast<rank_id>(root), dest, source, bytes, root_result::is_written);
  return 0;
}

int team_collect(shmem_team_t team, void* dest, const void* source, std::size_t bytes) {
  collect("shmem_collect", core_of("shmem_collect", team), dest, source, bytes);
  return 0;
}

void fcollect(const char* call, atl::team& among, void* dest, const void* source,
              std::size_t bytes) {
  check_collective(*the_process, among,
                   {.name = call,
                    .dest = dest,
                    .dest_bytes = bytes * among.size(),
                    .source = source,
                    .source_bytes = bytes,
                    .agreed_bytes = bytes});
  if (!can_write_results(*the_process, among, dest)) {
    coll::allgather(among, dest, source, bytes);
    return;
  }
  write_to_all(call, among, static_cast<std::byte*>(dest) + among.rank() * bytes, bytes,
               [=](rank_id) { return source; });
  among.barrier();
}

void alltoall(const char* call, atl::team& among, void* dest, const void* source,
              std::size_t bytes) {
  check_collective(*the_process, among,
                   {.name = call,
                    .dest = dest,
                    .dest_bytes = bytes * among.size(),
                    .source = source,
                    .source_bytes = bytes * among.size(),
                    .agreed_bytes = bytes});
  if (!can_write_results(*the_process, among, dest)) {
    coll::alltoall(among, dest, source, bytes);
    return;
  }
  write_to_all(
      call, among, static_cast<std::byte*>(dest) + among.rank() * bytes, bytes,
      [=](rank_id member) { return static_cast<const std::byte*>(source) + member * bytes; });
  among.barrier();
}

int team_fcollect(shmem_team_t team, void* dest, const void* source, std::size_t bytes) {
  static constexpr const char* call = "shmem_fcollect";
  fcollect(call, core_of(call, team), dest, source, bytes);
  return 0;
}

int team_alltoall(shmem_team_t team, void* dest, const void* source, std::size_t bytes) {
  static constexpr const char* call = "shmem_alltoall";
  alltoall(call, core_of(call, team), dest, source, bytes);
  return 0;
}

int team_alltoalls(shmem_team_t team, void* dest, const void* source, const spread& strides,
                   std::size_t count) {
  alltoalls("shmem_alltoalls", core_of("shmem_alltoalls", team), dest, source, strides, count);
  return 0;
}

int team_sync(shmem_team_t team) {
  core_of("shmem_team_sync", team).barrier();
  return 0;
}

// --- of active sets

/// Calls use(team) with the team of an active set, where the caller is a member.
template <class Use>
void on_set(const char* call, const active_set_name& set, Use use) {
  if (atl::team* const among = find_active_set(call, set)) use(*among);
}

// The root is a number in the set; the root's own `dest` is not written.
void set_broadcast(void* dest, const void* source, std::size_t bytes, int root,
                   const active_set_name& set) {
  static constexpr const char* call = "shmem_broadcast";
  if (root < 0 || root >= set.size) refuse_pe(call, root, set.size);
  on_set(call, set, [&](atl::team& among) {
    broadcast(call, among, static_cast<rank_id>(root), dest, source, bytes, root_result::stays);
  });
}

void set_collect(void* dest, const void* source, std::size_t bytes, const active_set_name& set) {
  static constexpr const char* call = "shmem_collect";
  on_set(call, set, [&](atl::team& among) { collect(call, among, dest, source, bytes); });
}

void set_fcollect(void* dest, const void* source, std::size_t bytes, const active_set_name& set) {
  static constexpr const char* call = "shmem_fcollect";
  on_set(call, set, [&](atl::team& among) { fcollect(call, among, dest, source, bytes); });
}

void set_alltoall(void* dest, const void* source, std::size_t bytes, const active_set_name& set) {
  static constexpr const char* call = "shmem_alltoall";
  on_set(call, set, [&](atl::team& among) { alltoall(call, among, dest, source, bytes); });
}

void set_alltoalls(void* dest, const void* source, const spread& strides, std::size_t count,
                   const active_set_name& set) {
  static constexpr const char* call = "shmem_alltoalls";
  on_set(call, set,
         [&](atl::team& among) { alltoalls(call, among, dest, source, strides, count); });
}

void set_sync(const char* call, const active_set_name& set) {
  on_set(call, set, [](atl::team& among) { among.barrier(); });
}

void set_barrier(const char* call, const active_set_name& set) {
  running(call);
  quiet(context_of(call, SHMEM_CTX_DEFAULT));
  set_sync(call, set);
}

}  // namespace
}  // namespace atl::shmem

using namespace atl::shmem;

ATOLL_SHMEM_ENTRY(void, barrier_all, (void), barrier_all(running("shmem_barrier_all")))
ATOLL_SHMEM_ENTRY(void, sync_all, (void), running("shmem_sync_all").world->barrier())
ATOLL_SHMEM_ENTRY(int, team_sync, (shmem_team_t team), return team_sync(team))
ATOLL_SHMEM_ENTRY(void, barrier, (int PE_start, int logPE_stride, int PE_size, long* pSync),
                  set_barrier("shmem_barrier", {PE_start, logPE_stride, PE_size, pSync}))
ATOLL_SHMEM_ENTRY(void, sync, (int PE_start, int logPE_stride, int PE_size, long* pSync),
                  set_sync("shmem_sync", {PE_start, logPE_stride, PE_size, pSync}))

// clang-format off

#define TEAM_DATA(NAME, SUFFIX, TYPE, BYTES)                                                       \
  ATOLL_SHMEM_ENTRY(int, NAME##broadcast##SUFFIX,                                                  \
                    (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems,             \
                     int PE_root),                                                                 \
                    return team_broadcast(team, dest, source, nelems * (BYTES), PE_root))          \
  ATOLL_SHMEM_ENTRY(int, NAME##collect##SUFFIX,                                                    \
                    (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems),            \
                    return team_collect(team, dest, source, nelems * (BYTES)))                     \
  ATOLL_SHMEM_ENTRY(int, NAME##fcollect##SUFFIX,                                                   \
                    (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems),            \
                    return team_fcollect(team, dest, source, nelems * (BYTES)))                    \
  ATOLL_SHMEM_ENTRY(int, NAME##alltoall##SUFFIX,                                                   \
                    (shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems),            \
                    return team_alltoall(team, dest, source, nelems * (BYTES)))                    \
  ATOLL_SHMEM_ENTRY(int, NAME##alltoalls##SUFFIX,                                                  \
                    (shmem_team_t team, TYPE* dest, const TYPE* source, ptrdiff_t dst,             \
                     ptrdiff_t sst, size_t nelems),                                                \
                    return team_alltoalls(team, dest, source, {dst, sst, BYTES}, nelems))
#define TYPED(P, T, TYPE) TEAM_DATA(T##_, , TYPE, sizeof(TYPE))
ATOLL_SHMEM_RMA(TYPED, )
TEAM_DATA(, mem, void, 1)

#define SET_PARAMETERS int PE_start, int logPE_stride, int PE_size, long* pSync
#define SET {PE_start, logPE_stride, PE_size, pSync}
#define SET_DATA(S, BYTES)                                                                         \
  ATOLL_SHMEM_ENTRY(void, broadcast##S,                                                            \
                    (void* dest, const void* source, size_t nelems, int PE_root, SET_PARAMETERS),  \
                    set_broadcast(dest, source, nelems * (BYTES), PE_root, SET))                   \
  ATOLL_SHMEM_ENTRY(void, collect##S,                                                              \
                    (void* dest, const void* source, size_t nelems, SET_PARAMETERS),               \
                    set_collect(dest, source, nelems * (BYTES), SET))                              \
  ATOLL_SHMEM_ENTRY(void, fcollect##S,                                                             \
                    (void* dest, const void* source, size_t nelems, SET_PARAMETERS),               \
                    set_fcollect(dest, source, nelems * (BYTES), SET))                             \
  ATOLL_SHMEM_ENTRY(void, alltoall##S,                                                             \
                    (void* dest, const void* source, size_t nelems, SET_PARAMETERS),               \
                    set_alltoall(dest, source, nelems * (BYTES), SET))                             \
  ATOLL_SHMEM_ENTRY(void, alltoalls##S,                                                            \
                    (void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems,  \
                     SET_PARAMETERS),                                                              \
                    set_alltoalls(dest, source, {dst, sst, BYTES}, nelems, SET))
SET_DATA(32, 4)
SET_DATA(64, 8)

// clang-format on
