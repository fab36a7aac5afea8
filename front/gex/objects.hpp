// SPDX-License-Identifier: BSD-3-Clause
//
// What stands behind the handles of the C API: one client, one endpoint, one segment, the team of
// all and the pair that names the same endpoints by jobrank. They live in one `process`, made by
// gex_Client_Init() and never unmade, because the standard is global: this is the only pointer to a
// runtime that the front keeps. Fields are written while the program is still in collective set-up
// and are constant afterwards, except client data, which is the client's to order.
#pragma once

#include <gasnetex_types.h>
#include <atoll/core/runtime.hpp>

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
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

struct atoll_gex_segment {
  gex_Client_t client = GEX_CLIENT_INVALID;
  std::byte* address = nullptr;
  std::size_t size = 0;
  atoll_gex_client_data data;
};

struct atoll_gex_endpoint {
  gex_Client_t client = GEX_CLIENT_INVALID;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  atoll_gex_client_data data;
};

namespace atl::gex {

/// A team member: the part that headers read, and the rest.
struct team_member : atoll_gex_team {
  atoll_gex_client_data data;
  bool is_pair = false;
};

/// A handler as its client described it; `context` of the core's entry.
struct registered_handler {
  gex_AM_Entry_t entry;
};

/// The client's side of this process.
struct process {
  explicit process(std::unique_ptr<atl::runtime> started);

  std::unique_ptr<atl::runtime> runtime;
  atl::endpoint& primordial;  // the runtime's, found without a detour
  atoll_gex_client client;
  atoll_gex_endpoint endpoint;
  atoll_gex_segment segment;
  team_member world;
  team_member pair;
  std::vector<atoll_gex_path> no_paths;  // what headers read when every transfer is to be checked
  std::vector<gex_Rank_t> neighbours;    // job ranks, read by clients as gex_RankInfo_t
  pid_t id = getpid();
  std::size_t medium_max = 0;  // over all peers

  std::mutex registering;
  std::deque<registered_handler> handlers;  // grows only: the core keeps pointers into it
};

/// Set once by gex_Client_Init(), before it returns.
extern process* the_process;

/// The process; ends the program with a message when `call` comes before gex_Client_Init().
inline process& started(const char* call) noexcept;
[[noreturn, gnu::cold]] void refuse_before_start(const char* call) noexcept;

inline process& started(const char* call) noexcept {
  if (the_process == nullptr) [[unlikely]]
    refuse_before_start(call);
  return *the_process;
}

/// Shorthands for calls that cannot come before the start, since they hold a handle.
inline atl::runtime& runtime() noexcept { return *the_process->runtime; }
inline atl::endpoint& endpoint() noexcept { return the_process->primordial; }

/// Ends the program for a wrong use of `call`.
[[noreturn, gnu::cold]] void refuse(std::string_view call, std::string_view cause,
                                    std::string_view remedy) noexcept;

/// Returns `code`, after printing what is wrong unless the client turned such messages off.
[[gnu::cold]] int complain(int code, std::string_view call, std::string_view cause) noexcept;

/// Ends the program if `rank` is not of `tm`.
inline void check_rank(const char* call, gex_TM_t tm, gex_Rank_t rank) noexcept;
[[noreturn, gnu::cold]] void refuse_rank(const char* call, gex_TM_t tm, gex_Rank_t rank) noexcept;

inline void check_rank(const char* call, gex_TM_t tm, gex_Rank_t rank) noexcept {
  if (rank >= tm->size) [[unlikely]]
    refuse_rank(call, tm, rank);
}

}  // namespace atl::gex
