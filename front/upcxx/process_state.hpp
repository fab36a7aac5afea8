// SPDX-License-Identifier: BSD-3-Clause
//
// The state of this front in a process that has called upcxx::init(): the runtime, and tables of
// the teams, distributed objects, collectives of values and segments on devices. UPC++ is one per
// process, and so is this: made by the first init() and gone with the last finalize(). Threads:
// only the holder of the master persona uses it. The personas of each thread are here too.
#pragma once

#include <atoll/core/job/runtime.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/global_ptr.hpp>
#include <upcxx/persona.hpp>
#include <upcxx/promise.hpp>
#include <upcxx/team.hpp>

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace atl::upcxx_front {

class tree_collective;
struct device_heap;

struct process_state {
  explicit process_state(std::shared_ptr<atl::runtime> running);
  /// Makes the teams; the_process is set already.
  void open_teams();
  /// Ends the teams that the program has left, in the same order on all ranks.
  void close_teams();
  /// Ends the devices, and the segments on them, that the program has left. Collective.
  void close_devices();

  std::size_t users = 1;               // calls of init() without their finalize()
  std::shared_ptr<atl::runtime> held;  // other fronts may hold it too
  atl::runtime& runtime;
  atl::endpoint& own;     // of this front's messages and transfers, whatever others do with theirs
  atl::team& world_core;  // this front's team of all ranks
  std::uint32_t peers_on_host;  // other ranks of this host

  /// Teams by name: where each is in this process, or the promise to fulfil once it is made.
  struct team_entry {
    upcxx::team* local = nullptr;
    bool ended = false;         // it was made here, and has ended
    std::uint64_t objects = 0;  // distributed objects made over it so far
    std::optional<upcxx::promise<upcxx::team&>> awaited;
  };
  std::unordered_map<upcxx::team_id, team_entry> teams;
  /// Distributed objects by name, in the same way: each call that is sent one looks it up.
  struct object_hash {
    std::size_t operator()(const object_name& name) const noexcept {
      return std::hash<upcxx::team_id>()(name.team) ^
             static_cast<std::size_t>(name.number * 0x9e3779b97f4a7c15U);
    }
  };
  struct object_entry {
    void* address = nullptr;
    bool is_notified = false;  // its waiters have been notified, at user-level progress
    std::optional<upcxx::promise<void*>> awaited;
  };
  std::unordered_map<object_name, object_entry, object_hash> objects;
  /// Collectives of values by name: the one that waits here, or the parts that came before it did
  /// (from the parent, bytes).
  struct tree_entry {
    tree_collective* waiting = nullptr;
    std::vector<std::pair<bool, std::vector<std::byte>>> early;
  };
  std::map<object_name, tree_entry> trees;
  std::optional<upcxx::team> world;
  std::unique_ptr<atl::team> local_core;
  std::optional<upcxx::team> local;
  /// Segments on devices by the number in pointers, less one: the same on all ranks. A slot is
  /// written only by collective calls that make or end that segment.
  static constexpr std::size_t device_heaps_max = 256;
  std::array<std::shared_ptr<device_heap>, device_heaps_max> device_heaps;
  std::vector<std::weak_ptr<device_heap>> devices;  // of this process, to be ended with it
  std::string variable;                             // the last answer of getenv_console
  std::vector<std::uintptr_t> verified_code;  // starts of the code of libraries (relocation.hpp)
  bool verifies_code = false;
  bool heap_is_given_up = false;  // experimental::destroy_heap()
};

extern process_state* the_process;

/// A module of this process, the program among them. Two ranks have the same one when their
/// fingerprints are equal (code.hpp).
struct loaded_library {
  std::uint64_t number = 0;  // in the order of loading
  std::uint32_t fingerprint = 0;
  std::string path;
  code_range code;
};
std::vector<loaded_library> loaded_libraries();

/// The one whose code has this address; null when none has.
const loaded_library* find_library(const std::vector<loaded_library>& libraries,
                                   std::uintptr_t address) noexcept;
/// The path of the library of a function that this process has sent.
std::string library_of(code_token token);
/// Finds out whether all ranks run the same program. Collective, without other work under way.
void compare_programs(atl::team& all_ranks);
/// Counts all libraries that are loaded at the call as the same on all ranks.
void trust_loaded_libraries();
/// Throws when libraries are verified and that of this function has not been.
void need_verified(std::uintptr_t function);

/// A thread's personas: its own, and the stack of active ones.
struct thread_personas {
  thread_personas() noexcept;
  thread_personas(const thread_personas&) = delete;
  thread_personas& operator=(const thread_personas&) = delete;
  ~thread_personas();

  upcxx::persona own;
  upcxx::persona_scope bottom;
  upcxx::persona_scope* top = &bottom;
  unsigned masters = 0;  // scopes of the master persona among them
  bool restricted = false;
  bool takes_calls = false;  // it polls at user level: what arrives may run where it lies
  unsigned idle = 0;         // user-level progress calls in a row that found nothing
  std::optional<upcxx::persona_scope> master_scope;  // of init(); ends before the scopes below it

  static upcxx::persona& persona_of(const upcxx::persona_scope& scope) noexcept {
    return *scope.persona_;
  }
  static upcxx::persona_scope* below(const upcxx::persona_scope& scope) noexcept {
    return scope.below_;
  }
};

/// Null until this thread's are made. `initial-exec`: found by one load, as trace::my_counters.
extern constinit thread_local thread_personas* my_personas [[gnu::tls_model("initial-exec")]];
[[gnu::cold]] thread_personas& make_personas() noexcept;

inline thread_personas& this_thread() noexcept {
  return my_personas != nullptr ? *my_personas : make_personas();
}

/// Gives the master persona to the calling thread, and takes it back at the end if the thread still
/// has it.
void hold_master();
void drop_master() noexcept;

/// The owner's own address of a place in its heap. Ends the job for null, for memory of a device,
/// and for a rank that is not in the job.
std::byte* owners_address(const place& location, const char* call) noexcept;

/// Makes an endpoint receive commands.
void add_mail_handlers(endpoint& receiver) noexcept;

/// Waits for a collective operation with user-level progress.
void wait_collective(event& done) noexcept;

/// The barrier with which a collective call begins, as `entry` says.
void enter_by_barrier(const upcxx::team& team, upcxx::entry_barrier entry, const char* call);

/// One step of progress; returns how much was done.
std::size_t advance(bool user_level) noexcept;

}  // namespace atl::upcxx_front
