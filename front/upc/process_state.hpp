// SPDX-License-Identifier: BSD-3-Clause
//
// The state of the front in this process: the runtime that it shares with other fronts, the routes
// that translated code reads, the memory in which threads publish the barriers that they are at and
// the blocks that they have freed, and the locks that this thread holds. A UPC thread is a rank.
//
// It begins with atoll_upc_start() and ends when the program does; the object itself is never
// destroyed, since code that runs at exit may still use it.
//
// Threads: translated code runs on one thread of each process. Where some UPC threads reach others
// by messages only, a thread of the library's own serves them while the program computes.
#pragma once

#include <atoll_upc/access.h>
#include <atoll/base/rank.hpp>
#include <atoll/coll/symmetric_heap.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/job/serving_thread.hpp>
#include <atoll/core/progress/operation_group.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/core/segment/segment.hpp>
#include <atoll/core/team/team.hpp>
#include <front/upc/statistics.hpp>

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

struct atoll_operation;  // what a handle of upc_nb.h points to

namespace atl::upc {

/// A thread's part of the memory that the library's own functions share; at one offset everywhere.
struct alignas(64) thread_words {
  // The last barrier that this thread has come to, for messages of threads that find a mismatch.
  std::uint64_t barrier_tag = 0;  // bits of a barrier_tag
  std::int64_t exit_code = 0;     // of a thread that has ended
  std::uint32_t line = 0;         // of the statement, 0: unknown
  char file[44] = {};

  // Heads of the lists of this thread's blocks that others have freed: offsets, 0 at the end.
  alignas(64) std::uint64_t freed_local = 0;
  std::uint64_t freed_global = 0;
  // On thread 0: addresses up to this offset have been given to threads by the global heap.
  std::uint64_t global_used = 0;
  std::uint64_t pointer_guard = 0;            // held by an atomic operation on pointers-to-shared
  alignas(64) statistic_values statistics{};  // at the end, where they are wanted
};

class global_heap;
class lock_list;
class relaxed_accesses;
struct open_file;

struct process_state {
  explicit process_state(std::shared_ptr<atl::runtime> running);
  process_state(const process_state&) = delete;
  process_state& operator=(const process_state&) = delete;
  ~process_state();

  std::shared_ptr<atl::runtime> held;
  atl::runtime& runtime;
  pid_t id;
  coll::symmetric_heap& symmetric;
  segment& heaps;
  team* world;                               // this front's team of all ranks
  bool all_direct;                           // loads and stores reach all threads
  std::unique_ptr<upc::statistics> counted;  // null unless UPC_STATS asks for it
  std::vector<atoll_route> routes;           // as translated code reads them
  std::vector<char*> bases;                  // atoll_upc_bases
  std::size_t places = 0;                    // word_places of the smallest route
  std::uint64_t common_heap_offset = 0;      // where the shared heap of a thread begins
  std::vector<std::uint64_t> heap_offsets;   // the same by thread; empty where all are alike
  thread_words* words = nullptr;             // this thread's
  std::uint64_t words_offset = 0;            // of the words of every thread
  bool barrier_is_open = false;              // upc_notify was called, and upc_wait was not yet
  std::unique_ptr<global_heap> global;
  std::unique_ptr<lock_list> locks;
  std::unique_ptr<relaxed_accesses> relaxed;            // null where no values are kept
  operation_group pending{runtime};                     // upc_memput_nbi and upc_memget_nbi
  std::vector<std::shared_ptr<open_file>> files;        // that the program has open
  std::optional<std::vector<atoll_operation*>> region;  // since bupc_begin_accessregion()
  std::vector<std::byte> value;                         // last result of a function on values
  atl::serving_thread serving{runtime};

  rank_id rank() const noexcept { return runtime.rank(); }
  rank_id size() const noexcept { return runtime.size(); }

  /// The address of shared memory in its owner's process.
  std::byte* remote_address(rank_id thread, std::uint64_t offset) const noexcept {
    return heaps.routes()[thread].base() + offset;
  }
  /// The address in this process of this thread's memory; and the offset of such an address.
  std::byte* own_address(std::uint64_t offset) const noexcept { return own_base() + offset; }
  std::uint64_t own_offset(const void* address) const noexcept {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(address) - own_base());
  }
  std::byte* own_base() const noexcept { return heaps.own_part().base; }

  /// Where the shared heap of a thread begins.
  std::uint64_t heap_offset(rank_id thread) const noexcept {
    return heap_offsets.empty() ? common_heap_offset : heap_offsets[thread];
  }

  /// An atomic operation on a word of the library's, ordered with all accesses around it.
  std::uint64_t atomic_at(rank_id thread, std::uint64_t offset, atomic_op op,
                          std::uint64_t operand = 0, std::uint64_t operand2 = 0) const noexcept {
    return atl::atomic<std::uint64_t>(
        heaps, thread, reinterpret_cast<std::uint64_t*>(remote_address(thread, offset)),
        {.op = op, .operand = operand, .operand2 = operand2}, {.acquire = true, .release = true});
  }

  /// Wakes a thread that may sleep in a wait for a word that was just written in its memory.
  void wake(rank_id thread) const noexcept {
    if (runtime.is_neighbour(thread)) runtime.wake(thread);
  }

 private:
  void open_routes();
  void learn_heap_offsets();
  void open_words();
};

extern process_state* the_process;

/// The process's state; ends the program when `call` comes before the start.
[[noreturn]] void refuse_before_start(const char* call) noexcept;
inline process_state& running(const char* call) noexcept {
  if (the_process == nullptr) [[unlikely]]
    refuse_before_start(call);
  return *the_process;
}

/// Ends the job with a message that names thread, call, cause and remedy.
[[noreturn]] void refuse(const char* call, std::string_view cause,
                         std::string_view remedy) noexcept;

/// "thread 2, offset 4096, phase 0", and "a null pointer".
std::string text_of(atoll_upc_pointer p);

/// " (prog.upc:12)" after ATOLL_UPC_AT, else nothing.
std::string source_place();

}  // namespace atl::upc
