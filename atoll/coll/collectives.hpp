// SPDX-License-Identifier: BSD-3-Clause
//
// Collective operations on teams. Every member of the team calls the same function with the same
// root, sizes and operation, and all members make their calls on one team in the same order. Each
// comes in two forms: `x` returns when this member's part is complete; `start_x` returns at once
// with an event (runtime::test, runtime::wait), which is empty when the operation is already
// complete. Any number may be under way, on one team or several. The status is done, or peer_lost
// when a member of the team is lost: then results mean nothing, and transfers that began before may
// still read and write the buffers of that call. The program leaves them allocated and unused until
// the runtime ends.
//
// Complete means: this member's results are there, and its buffers may be used again. It does not
// mean that other members have finished; use the barrier for that. Buffers may lie anywhere in the
// member's memory, and the caller leaves them alone until completion. They do not overlap, except
// where "in place" is said. `bytes` is the size of one block, `count` a number of elements of the
// reduction's element_bytes; with 0 nothing happens.
//
// All ranks must have called `coll::open(runtime)` before the first of these. If two members that
// exchange a message give different sizes, the job ends with a message that says so. Threads: any,
// in mode `any`, but one at a time per team. Handlers must not call these functions.
#pragma once

#include <atoll/coll/choice.hpp>
#include <atoll/coll/reduction.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/core/team/team.hpp>

#include <cstddef>

namespace atl::coll {

/// `bytes` at `from` of the root are copied to `to` of every member, the root included. `from` is
/// used at the root only; in place there: from == to.
event start_broadcast(team& team, rank_id root, void* to, const void* from, std::size_t bytes,
                      const choice& options = {}) noexcept;
operation_status broadcast(team& team, rank_id root, void* to, const void* from, std::size_t bytes,
                           const choice& options = {}) noexcept;

/// The elements at `from` of all members are combined, in the order of members, into `to` of the
/// root. `to` is used at the root only; in place there: from == to.
event start_reduce(team& team, rank_id root, void* to, const void* from, std::size_t count,
                   const reduction& combiner, const choice& options = {}) noexcept;
operation_status reduce(team& team, rank_id root, void* to, const void* from, std::size_t count,
                        const reduction& combiner, const choice& options = {}) noexcept;

/// The same into `to` of every member; in place: from == to.
event start_allreduce(team& team, void* to, const void* from, std::size_t count,
                      const reduction& combiner, const choice& options = {}) noexcept;
operation_status allreduce(team& team, void* to, const void* from, std::size_t count,
                           const reduction& combiner, const choice& options = {}) noexcept;

/// Block i of size() blocks at `from` of the root is copied to `to` of member i. `from` is used at
/// the root only; in place there: `to` is the root's own block.
event start_scatter(team& team, rank_id root, void* to, const void* from, std::size_t bytes,
                    const choice& options = {}) noexcept;
operation_status scatter(team& team, rank_id root, void* to, const void* from, std::size_t bytes,
                         const choice& options = {}) noexcept;

/// The block at `from` of member i is copied to block i of size() blocks at `to` of the root. `to`
/// is used at the root only; in place there: `from` is the root's own block.
event start_gather(team& team, rank_id root, void* to, const void* from, std::size_t bytes,
                   const choice& options = {}) noexcept;
operation_status gather(team& team, rank_id root, void* to, const void* from, std::size_t bytes,
                        const choice& options = {}) noexcept;

/// The same to `to` of every member; in place: `from` is the member's own block.
event start_allgather(team& team, void* to, const void* from, std::size_t bytes,
                      const choice& options = {}) noexcept;
operation_status allgather(team& team, void* to, const void* from, std::size_t bytes,
                           const choice& options = {}) noexcept;

/// Block j at `from` of member i is copied to block i at `to` of member j, for all i and j;
/// also called exchange.
event start_alltoall(team& team, void* to, const void* from, std::size_t bytes,
                     const choice& options = {}) noexcept;
operation_status alltoall(team& team, void* to, const void* from, std::size_t bytes,
                          const choice& options = {}) noexcept;

/// Whether a member's own elements are part of its result.
enum class scan_kind : std::uint8_t { inclusive, exclusive };

/// The elements at `from` of members 0 to i are combined, in this order, into `to` of member i; an
/// exclusive scan leaves out those of member i, and leaves `to` of member 0 as it is. In place:
/// from == to.
event start_scan(team& team, void* to, const void* from, std::size_t count,
                 const reduction& combiner, scan_kind kind, const choice& options = {}) noexcept;
operation_status scan(team& team, void* to, const void* from, std::size_t count,
                      const reduction& combiner, scan_kind kind,
                      const choice& options = {}) noexcept;

}  // namespace atl::coll
