// SPDX-License-Identifier: BSD-3-Clause
//
// One collective call as its algorithm sees it: who takes part, what to move where, and how to send
// and receive. A call is a plain value. A hierarchical algorithm copies it, narrows the copy to the
// members of one host (or to the leaders of all hosts) with a range of tags of their own, and
// awaits another algorithm on it.
//
// Threads: a task runs on one thread at a time, whichever makes progress.
#pragma once

#include <atoll/coll/engine/block_pool.hpp>
#include <atoll/coll/engine/mailbox.hpp>
#include <atoll/coll/engine/task.hpp>
#include <atoll/coll/reduction.hpp>
#include <atoll/core/team/team.hpp>

#include <cstddef>
#include <cstdint>

namespace atl::coll {

class engine;
struct active_call;
struct algorithm;
struct team_state;

enum class collective : std::uint8_t {
  broadcast,
  reduce,
  allreduce,
  scatter,
  gather,
  allgather,
  alltoall,
  scan,
  barrier,  // the team's own, of the core: rules say its radix, and the engine runs none
  fence,    // the engine's own: keeps members from running too far ahead
  count
};

/// The arguments of a collective; collectives.hpp says what each member means for each of them.
struct arguments {
  collective kind = collective::count;
  rank_id root = 0;  // team member
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::size_t bytes = 0;  // of one block: per member, or the whole of a reduction
  std::size_t count = 0;  // elements of a reduction
  reduction combine = {};
  bool exclusive = false;  // scan without the own element
};

/// A collective of a team of one member: a copy, or nothing.
void copy_alone(const arguments& request) noexcept;

class call : public arguments {
 public:
  call() = default;

  // --- members -----------------------------------------------------------------------------
  // Ranks here are places in the group that takes part: the whole team, or what narrow() chose.
  rank_id rank = 0;
  rank_id size = 0;
  rank_id job_rank(rank_id member) const noexcept {
    return whole_team->job_rank(members == nullptr ? member : members[member]);
  }

  /// This call for the same members, as a phase.
  call as_phase(unsigned phase) const noexcept;

  /// This call for the members on this rank's host, in their order.
  call on_host(unsigned phase) const noexcept;

  /// This call for one leader per host; the root leads its own host. Only leaders may call it.
  /// `list` has room for a rank per host, and lives as long as the copy.
  call among_leaders(rank_id* list, unsigned phase) const noexcept;

  /// The leader's place among the members on this host: the root, or else the first member.
  rank_id leader_on_host() const noexcept;

  /// This call for a part of the group: `list` holds team members and lives as long as the copy;
  /// this rank is at `own_index` in it. Tags of different phases (1 to 15) do not collide; a
  /// phase may have phases of its own, which may not have any.
  call narrow(const rank_id* list, rank_id list_size, rank_id own_index,
              unsigned phase) const noexcept;

  // --- messages ----------------------------------------------------------------------------
  /// Sends to a member, which receives with the same tag and size. Within a call, a tag (below
  /// 2^24) names one message between two members. `data` may be reused when `group` is complete.
  void send(transfers& group, rank_id target, std::uint32_t tag, const void* data,
            std::size_t size_bytes) noexcept;
  void receive(transfers& group, rank_id source, std::uint32_t tag, void* place,
               std::size_t size_bytes) noexcept;

  // --- memory ------------------------------------------------------------------------------
  /// Where `scratch` gets its blocks.
  block_pool& memory() const noexcept { return *context.frames; }
  /// How many pieces or blocks may arrive at a time, where `usual` does unless a choice says so.
  std::uint32_t depth_or(std::uint32_t usual) const noexcept { return depth != 0 ? depth : usual; }

  engine* owner = nullptr;
  active_call* op = nullptr;  // the operation that it belongs to
  team* whole_team = nullptr;
  team_state* state = nullptr;       // of this team, see engine.hpp
  std::uint32_t sequence = 0;        // of the call among those on its team; the same on all members
  std::uint64_t turn = 0;            // the first of the host's shared state, see README.md
  std::uint64_t turns_end = 0;       // the first behind those that the group may use
  std::uint32_t phase_turns = 0;     // turns of each phase
  bool one_host = false;             // all of the group map each other's memory
  bool is_part = false;              // the group was chosen from the team, even if all are in it
  bool blocking = false;             // the caller waits for it
  unsigned radix = 0;                // of the algorithm, where it has one
  unsigned depth = 0;                // pieces or blocks that may arrive at a time; 0: as usual
  unsigned leaders = 1;              // per host, at most the members of the smallest; hierarchical
  bool gets = false;                 // receivers get large messages; else senders put them
  const rank_id* members = nullptr;  // null: the whole team, in order
  std::uint32_t tag_base = 0;
  std::size_t piece_bytes = 0;  // of one piece, where an algorithm cuts a large block
  std::size_t eager_bytes = 0;  // of a message; a larger one waits for its receiver
  task_context context;
};

inline const task_context& context_of(const call& call) noexcept { return call.context; }

}  // namespace atl::coll
