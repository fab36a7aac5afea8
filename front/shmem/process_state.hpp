// SPDX-License-Identifier: BSD-3-Clause
//
// The state of the front in this process between initialization and finalization: the runtime that
// it shares with other fronts, the two ranges of symmetric addresses (heap and static variables),
// teams and contexts.
//
// A handle of a team or context is the address of an object whose first part inline code reads
// (atoll_shmem/types.h); those of the world, of the host and of the default context exist always
// and are filled at initialization.
//
// Threads: made and ended by the thread that initializes; teams and contexts may be made by any.
#pragma once

#include <atoll/base/sparse_table.hpp>
#include <atoll/coll/symmetric_heap.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/serving_thread.hpp>
#include <atoll/core/progress/operation_group.hpp>
#include <atoll/core/segment/program_variables.hpp>
#include <atoll/core/segment/segment.hpp>
#include <atoll/core/team/team.hpp>
#include <front/shmem/entry.hpp>
#include <front/shmem/fetch_loop.hpp>

#include <atoll_shmem/table.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::shmem {

struct context_state;

/// Makes handles for the program. A handle that the program has destroyed stays in memory for a
/// while, so that a call with it is refused by name, and is reused later. Threads: one at a time.
template <class Handle>
class handle_store {
 public:
  Handle* make(const Handle& filled) {
    if (destroyed_.size() < kept) return new Handle(filled);
    std::unique_ptr<Handle> oldest = std::move(destroyed_.front());
    destroyed_.pop_front();
    *oldest = filled;
    return oldest.release();
  }
  void destroy(Handle* handle) {
    *handle = {};  // without PEs or state, which every call checks
    destroyed_.emplace_back(handle);
  }

 private:
  static constexpr std::size_t kept = 256;
  std::deque<std::unique_ptr<Handle>> destroyed_;
};

/// The library's part of a team.
struct pe_team {
  shmem_team_t handle = nullptr;
  std::unique_ptr<atl::team> own;  // null where it is the runtime's team of all ranks
  atl::team* core = nullptr;
  shmem_team_config_t config = {};
  bool in_program = true;  // made by the program, and destroyed by it
};

/// The library's part of a context.
struct context_state {
  explicit context_state(atl::runtime& owner) noexcept : pending(owner), silent_atomics(owner) {}

  shmem_ctx_t handle = nullptr;
  shmem_team_t team = nullptr;
  long options = 0;
  operation_group pending;         // operations that were not complete at once, except
  operation_group silent_atomics;  // atomics that fetch nothing, which those that fetch wait for
  // Whether there have ever been such atomics here. Relaxed: it says nothing about their state.
  std::atomic<bool> has_silent_atomics = false;

  void wait_for_silent_atomics() noexcept {
    if (has_silent_atomics.load(std::memory_order_relaxed)) silent_atomics.wait();
  }
  long session_options = 0;
  shmem_ctx_session_config_t session = {};
};

struct process_state {
  /// `moves_variables`: whether the static variables are to lie in the memory of the host.
  process_state(std::shared_ptr<atl::runtime> running, int threads, bool moves_variables);
  process_state(const process_state&) = delete;
  process_state& operator=(const process_state&) = delete;
  ~process_state();

  std::shared_ptr<atl::runtime> held;
  atl::runtime& runtime;
  atl::team* world;  // this front's team of all ranks
  int thread_level;
  int users = 1;
  bool checks_calls = false;  // as SHMEM_DEBUG asks for
  std::mutex checking_locks;
  std::set<const void*> own_locks;  // that this PE has set, where calls are checked
  pid_t id;

  // Symmetric addresses.
  coll::symmetric_heap& heap;
  segment& heaps;
  std::size_t heap_bytes;
  program_variables* variables = nullptr;  // null where they were not moved
  memory::address_range data;              // of the static variables, by the program's addresses
  std::unique_ptr<segment> statics;
  // By PE, for inline code and for our own direct accesses. A neighbour's row is zero until the
  // first call for that PE, which comes to the library and writes it; rows of other PEs stay zero.
  // A program with several threads may read rows at any time, so there all rows are written while
  // the process is made.
  sparse_table<atoll_shmem_row> rows;

  // Teams and contexts, in the order in which they were made.
  std::mutex guard;  // of what follows
  std::vector<std::unique_ptr<pe_team>> teams;
  std::vector<std::unique_ptr<context_state>> contexts;
  handle_store<atoll_shmem_team> team_handles;
  handle_store<atoll_shmem_context> context_handles;
  std::vector<std::unique_ptr<atl::team>> active_sets;  // teams of those that were used

  serving_thread serving{runtime};  // runs where some PE is reached by messages only

  std::atomic<unsigned> failed_tests = 0;  // in a row, of any thread; see after_test()
  fetch_loop fetches;                      // see after_fetch()

 private:
  void share_variables(bool moves);
  void open_teams();
  void close_teams();
  void start_serving();
};

extern process_state* the_process;

/// The process's state; ends the program when `call` comes before initialization.
[[noreturn]] void refuse_uninitialized(const char* call) noexcept;
inline process_state& running(const char* call) noexcept {
  if (the_process == nullptr) [[unlikely]]
    refuse_uninitialized(call);
  return *the_process;
}

/// Ends the job: what was called, what is wrong with it, what to do.
[[noreturn]] void refuse(const char* call, std::string_view cause,
                         std::string_view remedy) noexcept;

/// Fills the table that inline code reads. It stays empty while there is no process, and when a
/// tool has replaced one of the functions; inline code then calls the library.
void fill_direct_table(process_state* from) noexcept;

/// The states behind handles; end the job for a handle that is invalid.
[[noreturn]] void refuse_handle(const char* call, const char* kind) noexcept;
inline pe_team& team_of(const char* call, shmem_team_t team) noexcept {
  if (team == SHMEM_TEAM_INVALID || team->state == nullptr) [[unlikely]]
    refuse_handle(call, "team");
  return *static_cast<pe_team*>(team->state);
}
inline context_state& context_of(const char* call, shmem_ctx_t ctx) noexcept {
  if (ctx == SHMEM_CTX_INVALID || ctx->state == nullptr) [[unlikely]]
    refuse_handle(call, "context");
  return *static_cast<context_state*>(ctx->state);
}

/// Writes the row of a neighbour whose row is zero.
void write_row(process_state& us, rank_id rank) noexcept;

/// Completes what is under way on a context, and orders all memory accesses before it before all
/// that follow.
void quiet(context_state& context) noexcept;

/// quiet of the default context, then a barrier of all PEs.
void barrier_all(process_state& us) noexcept;

}  // namespace atl::shmem
