// SPDX-License-Identifier: BSD-3-Clause
//
// Initialization and finalization, counted: the first initialization joins the job, or the runtime
// that another front of the process has started; the last finalization leaves it, and another
// initialization may follow. A program that ends with success and has not finalized does so
// implicitly.
#include <shmemx.h>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/core/job/serving_thread.hpp>
#include <atoll/core/job/shared_runtime.hpp>
#include <atoll/core/settings.hpp>
#include <atoll/transport/settings.hpp>
#include <front/shmem/environment.hpp>
#include <front/shmem/process_state.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace atl::shmem {
namespace {

std::shared_ptr<atl::runtime> join_or_start(const environment& asked, int level) {
  const thread_mode wanted =
      level >= SHMEM_THREAD_SERIALIZED ? thread_mode::any : thread_mode::funnelled;
  if (auto running = find_shared_runtime()) {
    if (level >= SHMEM_THREAD_SERIALIZED) need_threads(*running, wanted, "shmem_init_thread");
    return running;
  }
  runtime_options options;
  options.configuration = settings_with(asked);
  options.boot = bootstrap::make(*options.configuration);
  // Then a thread of the library serves the other PEs, see process_state::start_serving().
  const bool gets_messages =
      !asked.moves_variables || some_ranks_are_apart(*options.configuration, *options.boot);
  options.threads = gets_messages ? thread_mode::any : wanted;
  try {
    return start_shared_runtime(std::move(options));
  } catch (const error& refused) {
    if (asked.symmetric_bytes <= read_memory_limits().total_bytes) throw;
    throw about_symmetric_size(refused);
  }
}

void finalize_at_exit(int code, void*);

/// Whether the process was a PE at some time.
bool has_been_initialized = false;

void start(int level, std::shared_ptr<atl::runtime>& runtime) {
  const environment asked = read_environment();
  static const bool registered = on_exit(finalize_at_exit, nullptr) == 0;
  (void)registered;
  runtime = join_or_start(asked, level);
  if (asked.debugs) log_configure(log_level::info, runtime->rank());
  the_process = new process_state(runtime, level, asked.moves_variables);
  has_been_initialized = true;
  if (the_process->runtime.rank() == 0) {
    print_environment(asked, the_process->runtime.configuration());
    warn_of_mistakes(asked, the_process->runtime.neighbourhood_count());
  }
  the_process->checks_calls = asked.debugs;
  fill_direct_table(the_process);
  the_process->world->barrier();
}

bool is_level(int level) noexcept {
  return level >= SHMEM_THREAD_SINGLE && level <= SHMEM_THREAD_MULTIPLE;
}

int init_thread(const char* call, int requested, int* provided) noexcept {
  if (!is_level(requested)) {
    log_error(text(call, ": there is no thread level ", requested,
                   "; use SHMEM_THREAD_SINGLE to SHMEM_THREAD_MULTIPLE"));
    return 1;
  }
  if (the_process != nullptr && the_process->id != ::getpid()) {
    log_error(text(call, ": process ", ::getpid(), " was forked by PE ",
                   the_process->runtime.rank(),
                   " after initialization and is no PE; fork before, or call from the PE itself"));
    return 1;
  }
  // Held outside, since a runtime that an exception ends would end the process before its cause is
  // reported.
  std::shared_ptr<atl::runtime> runtime;
  const bool is_first_front = running_runtime() == nullptr;
  try {
    if (the_process != nullptr) {
      ++the_process->users;
    } else {
      start(requested, runtime);
    }
  } catch (const error& refused) {
    log_error(refused.what());
    // A runtime that this call has started cannot end without the other PEs.
    if (is_first_front && runtime != nullptr) std::_Exit(EXIT_FAILURE);
    return 1;
  }
  if (provided != nullptr) *provided = the_process->thread_level;
  return 0;
}

void init(const char* call) noexcept {
  if (init_thread(call, SHMEM_THREAD_SINGLE, nullptr) != 0) std::_Exit(EXIT_FAILURE);
}

// A forked child leaves without telling the others: the job goes on in its parent. One finalization
// too many does nothing, because other implementations accept it and programs contain it.
void finalize(const char* call) noexcept {
  if (the_process == nullptr && has_been_initialized) {
    log_info(call, ": the library was finalized before; this call does nothing");
    return;
  }
  process_state& us = running(call);
  if (us.id != ::getpid()) {
    the_process = nullptr;
    return;
  }
  if (--us.users != 0) {
    barrier_all(us);
    return;
  }
  delete &us;
  the_process = nullptr;
}

// With an error code the process does not wait for the other PEs; the launcher then ends the job.
void finalize_at_exit(int code, void*) {
  if (the_process == nullptr || code != 0 || the_process->id != ::getpid()) return;
  the_process->users = 1;
  finalize("exit");
}

void start_pes(const char* call) noexcept {
  if (the_process == nullptr) init(call);
}

[[noreturn]] void global_exit(int status) noexcept {
  running("shmem_global_exit").runtime.exit(status);
}

}  // namespace
}  // namespace atl::shmem

using namespace atl::shmem;

ATOLL_SHMEM_ENTRY(void, init, (void), init("shmem_init"))
ATOLL_SHMEM_ENTRY(int, init_thread, (int requested, int* provided),
                  return init_thread("shmem_init_thread", requested, provided))
ATOLL_SHMEM_ENTRY(void, finalize, (void), finalize("shmem_finalize"))
ATOLL_SHMEM_ENTRY(void, query_initialized, (int* initialized),
                  *initialized = the_process != nullptr ? 1 : 0)
ATOLL_SHMEM_ENTRY(void, query_thread, (int* provided),
                  *provided = running("shmem_query_thread").thread_level)
ATOLL_SHMEM_ENTRY(void, global_exit, (int status), global_exit(status))

ATOLL_SHMEM_ENTRY(void, info_get_version, (int* major, int* minor), *major = SHMEM_MAJOR_VERSION;
                  *minor = SHMEM_MINOR_VERSION)
ATOLL_SHMEM_ENTRY(void, info_get_name, (char* name),
                  std::memcpy(name, SHMEM_VENDOR_STRING, sizeof SHMEM_VENDOR_STRING))

extern "C" double shmemx_wtime(void) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// Does nothing; tools replace it.
ATOLL_SHMEM_ENTRY(void, pcontrol, (int, ...), )

// The names of former versions.
ATOLL_SHMEM_OLD_ENTRY(void, start_pes, (int), start_pes("start_pes"))
ATOLL_SHMEM_OLD_ENTRY(int, _my_pe, (void), return pshmem_my_pe())
ATOLL_SHMEM_OLD_ENTRY(int, _num_pes, (void), return pshmem_n_pes())
ATOLL_SHMEM_ENTRY(void, set_cache_inv, (void), )
ATOLL_SHMEM_ENTRY(void, clear_cache_inv, (void), )
ATOLL_SHMEM_ENTRY(void, set_cache_line_inv, (void*), )
ATOLL_SHMEM_ENTRY(void, clear_cache_line_inv, (void*), )
ATOLL_SHMEM_ENTRY(void, udcflush, (void), )
ATOLL_SHMEM_ENTRY(void, udcflush_line, (void*), )
