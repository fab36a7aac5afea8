// SPDX-License-Identifier: BSD-3-Clause
//
// The objects behind the handles of the C API: one client, the primordial endpoint and its segment,
// the team of all ranks, and the objects that the client makes beside them. They live in one
// `process_state`, made by gex_Client_Init() and never unmade, because the standard is global: this
// is the only pointer to a runtime that the front keeps. Fields are written in collective set-up
// and are constant afterwards, with three exceptions: client data, whose order is the client's
// concern; endpoints and handlers, which have a mutex each; and pairs, which are atomic.
#pragma once

#include <gasnetex_identity.h>
#include <gasnetex_types.h>
#include <atoll/core/job/runtime.hpp>
#include <front/gex/outbox.hpp>

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

/// The void* that a client may hang on any object.
class atoll_gex_client_data {
 public:
  void set(const void* value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void* get() const noexcept { return const_cast<void*>(value_.load(std::memory_order_relaxed)); }

 private:
  std::atomic<const void*> value_ = nullptr;  // relaxed: it publishes nothing of ours
};

struct atoll_gex_client {
  std::string name;
  gex_Flags_t flags = 0;
  atoll_gex_client_data data;
};

/// A kind of memory: a device of this process.
struct atoll_gex_kind {
  gex_Client_t client = GEX_CLIENT_INVALID;
  atl::memory::device* device = nullptr;
};

struct atoll_gex_segment {
  gex_Client_t client = GEX_CLIENT_INVALID;
  std::byte* address = nullptr;
  std::size_t size = 0;
  bool is_own = false;                    // allocated here, to be freed with the segment
  atl::memory::device* device = nullptr;  // that it is memory of; null: host memory

  bool holds(const void* from, std::size_t bytes) const noexcept {
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(from) - address);
    return from >= address && bytes <= size && offset <= size - bytes;
  }
  atoll_gex_client_data data;
};

struct atoll_gex_endpoint {
  gex_Client_t client = GEX_CLIENT_INVALID;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  gex_EP_Capabilities_t capabilities = GEX_EP_CAPABILITY_ALL;
  gex_Flags_t flags = 0;
  atl::endpoint* core = nullptr;
  atoll_gex_client_data data;
};

namespace atl::gex {

/// Where this process stands between notify and wait of a team's barrier with names.
struct split_barrier {
  bool notified = false;
  bool any_complete = false;
};

/// A team, or a pair, as one of its members: the part that headers read, and the rest.
struct team_member : atoll_gex_team {
  /// Names the endpoints of `remote` by the members of `team`, or (a pair) by job rank.
  void open(atl::team* team, atoll_gex_endpoint& local, atl::endpoint& remote) noexcept;
  void leave_transfers_to_library() noexcept { inline_size = listed_size = 0; }

  atoll_gex_client_data data;
  atl::team* core = nullptr;  // null: a pair
  atoll_gex_endpoint* endpoint = nullptr;
  atl::endpoint* remote = nullptr;
  gex_Flags_t flags = 0;
  bool carries_messages = true;  // whether the local endpoint is able to
  std::uint8_t crossing = 0;     // of messages; see transport::message
  gex_Memvec_t scratch{};        // given by the client, unused, given back
  split_barrier split;
  std::unique_ptr<atl::team> owned;  // all but the team of all ranks
};

inline team_member& member(gex_TM_t tm) noexcept { return *static_cast<team_member*>(tm); }

/// A handler as its client described it; `context` of the core's entry.
struct registered_handler {
  gex_AM_Entry_t entry;
};

/// Consecutive job ranks as clients read them (gex_RankInfo_t), made when a client first asks.
/// Threads: any.
class rank_list {
 public:
  std::span<gex_Rank_t> of(atl::rank_range ranks) {
    std::call_once(once_, [&] {
      for (rank_id i = 0; i < ranks.count; ++i) ranks_.push_back(ranks.first + i);
    });
    return ranks_;
  }

 private:
  std::once_flag once_;
  std::vector<gex_Rank_t> ranks_;
};

/// The client's side of this process.
struct process_state {
  explicit process_state(std::shared_ptr<atl::runtime> started);

  /// The core's endpoint of a client's index, bound to a segment of its own; any thread.
  atl::endpoint& core_endpoint(std::size_t index);
  /// The client's index of such an endpoint.
  gex_EP_Index_t index_of(const atl::endpoint& core) const noexcept {
    return static_cast<gex_EP_Index_t>(core.index() - primordial.index());
  }

  std::shared_ptr<atl::runtime> runtime;  // other fronts may hold it too
  std::mutex making_segments;
  std::array<std::unique_ptr<atl::segment>, GASNET_MAXEPS> segments;  // by index of the endpoint
  atl::endpoint& primordial;  // the first of this front's, found without a detour
  atoll_gex_client client;
  atoll_gex_endpoint endpoint;
  atoll_gex_segment segment;
  team_member world;
  std::mutex making_endpoints;
  std::array<std::unique_ptr<atoll_gex_endpoint>, GASNET_MAXEPS> endpoints;  // made by the client
  std::array<std::atomic<team_member*>, GASNET_MAXEPS * GASNET_MAXEPS> pairs{};
  bool headers_transfer = true;  // else all transfers come to the library and are checked
  rank_list neighbours;
  rank_list host;
  pid_t id = getpid();
  std::size_t medium_max = 0;  // over all peers
  // The most that could be attached when the client started: by this rank, and by every rank of the
  // job.
  std::size_t own_segment_max = 0;
  std::size_t segment_max_everywhere = 0;

  gex::outbox outbox;  // of handlers that send requests

  std::mutex registering;
  std::deque<registered_handler> handlers;  // grows only: the core keeps pointers into it
};

/// Set once by gex_Client_Init(), before it returns.
extern process_state* the_process;

/// Lets the runtime wait as the client has asked, if it has (gasnet_set_waitmode).
void apply_wait_mode(atl::runtime& job);

/// Gives every rank `size` bytes as the segment of its first endpoint, or none to any; a rank that
/// passes 0 takes part for the sake of the others. Collective. False: some rank could not get them.
bool attach_together(process_state& process, std::size_t size);

[[noreturn, gnu::cold]] void refuse_before_start(const char* call) noexcept;
/// The process; ends the program with a message when `call` comes before gex_Client_Init().
inline process_state& started(const char* call) noexcept {
  if (the_process == nullptr) [[unlikely]]
    refuse_before_start(call);
  return *the_process;
}

/// This process's endpoint of an index; GEX_EP_INVALID when the client made none there.
gex_EP_t endpoint_of_index(std::size_t index) noexcept;

/// Shorthands for calls that cannot come before the start, since they hold a handle.
inline atl::runtime& runtime() noexcept { return *the_process->runtime; }
inline atl::endpoint& endpoint() noexcept { return the_process->primordial; }

/// The peer that a rank of a team names: this process's endpoint of the peer's index, through which
/// everything goes to it, and the peer's rank in the job.
struct peer_endpoint {
  atl::endpoint& endpoint;
  rank_id rank;
};
inline peer_endpoint peer_of(gex_TM_t tm, gex_Rank_t rank) noexcept {
  const team_member& membership = member(tm);
  return {*membership.remote, membership.core != nullptr ? membership.core->job_rank(rank) : rank};
}

/// The device whose memory a local address of a transfer is; null for host memory. Device memory
/// lies in the segment that is bound to the local endpoint.
inline memory::device* device_of(gex_TM_t tm, const void* address, std::size_t bytes) noexcept {
  const gex_Segment_t bound = member(tm).endpoint->segment;
  if (bound == GEX_SEGMENT_INVALID || bound->device == nullptr) [[likely]]
    return nullptr;
  return bound->holds(address, bytes) ? bound->device : nullptr;
}

[[noreturn, gnu::cold]] void refuse_messaging(const char* call, gex_TM_t tm) noexcept;
/// As peer_of(), for an active message, which the local endpoint must be able to carry.
inline peer_endpoint messaging_peer(const char* call, gex_TM_t tm, gex_Rank_t rank) noexcept {
  if (!member(tm).carries_messages) [[unlikely]]
    refuse_messaging(call, tm);
  return peer_of(tm, rank);
}

[[noreturn, gnu::cold]] void refuse_pair(const char* call) noexcept;
/// Ends the program unless `tm` is a team, and not a pair.
inline atl::team& team_of(gex_TM_t tm, const char* call) noexcept {
  if (member(tm).core == nullptr) [[unlikely]]
    refuse_pair(call);
  return *member(tm).core;
}

/// Ends the program for a wrong use of `call`.
[[noreturn, gnu::cold]] void refuse(std::string_view call, std::string_view cause,
                                    std::string_view remedy) noexcept;

/// Returns `code`, after printing what is wrong unless the client turned such messages off.
[[gnu::cold]] int complain(int code, std::string_view call, std::string_view cause) noexcept;

[[noreturn, gnu::cold]] void refuse_rank(const char* call, gex_TM_t tm, gex_Rank_t rank) noexcept;
/// Ends the program if `rank` is not of `tm`.
inline void check_rank(const char* call, gex_TM_t tm, gex_Rank_t rank) noexcept {
  if (rank >= tm->size) [[unlikely]]
    refuse_rank(call, tm, rank);
}

}  // namespace atl::gex
