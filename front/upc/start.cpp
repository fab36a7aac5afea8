// SPDX-License-Identifier: BSD-3-Clause
//
// The life of a program (UPC language specification 1.3, 5.1.2.2): a thread joins the job, or the
// runtime that another front of the process has started, lays out the static shared objects, and
// runs the program between two barriers. A thread ends by a return from main, by exit(), or by
// bupc_exit(). Each of them reaches the last barrier by a function that runs at exit, so that a
// thread that is still at work finds the memory of those that have ended. upc_global_exit ends all.
//
// Output is written line by line, so that it is not lost when another thread ends the job.
#include <upc.h>

#include <atoll_upc/program.h>
#include <bupc_extensions.h>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/core/job/serving_thread.hpp>
#include <atoll/core/job/shared_runtime.hpp>
#include <atoll/core/settings.hpp>
#include <atoll/transport/settings.hpp>
#include <front/upc/barrier.hpp>
#include <front/upc/debugging.hpp>
#include <front/upc/file.hpp>
#include <front/upc/launch.hpp>
#include <front/upc/objects.hpp>
#include <front/upc/process_state.hpp>
#include <front/upc/variables.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace atl::upc {
namespace {

/// The settings. A request for much shared memory raises the limit of the heap; without one the
/// heap may grow to the machine's memory.
settings settings_with(std::size_t shared_heap_bytes) {
  if (shared_heap_bytes == 0) return settings::from_environment();
  const std::size_t room =
      std::max<std::size_t>(shared_heap_bytes / 3 * 4 + (std::size_t{16} << 20),
                            read_memory_limits().total_bytes / 10 * 9);
  const std::string fallback = text("ATOLL_SYMMETRIC_LIMIT=", room);
  return settings::from_environment(std::span(&fallback, 1));
}

std::shared_ptr<atl::runtime> join_or_start(std::size_t shared_heap_bytes) {
  if (auto running = find_shared_runtime()) return running;
  runtime_options options;
  options.configuration = settings_with(shared_heap_bytes);
  options.boot = bootstrap::make(*options.configuration);
  // A thread of the library serves the others, see process_state's constructor.
  options.threads = some_ranks_are_apart(*options.configuration, *options.boot)
                        ? thread_mode::any
                        : thread_mode::funnelled;
  return start_shared_runtime(std::move(options));
}

void end_at_exit(int code, void*) {
  if (the_process == nullptr || the_process->id != ::getpid()) return;
  std::fflush(nullptr);
  the_process->pending.wait();  // for transfers without an upc_synci, while all others are there
  statistics* const counted = the_process->counted.get();
  if (counted != nullptr) counted->publish();
  barrier_at_end(code);
  if (counted != nullptr) counted->report();
  close_files(*the_process);
  delete the_process;
  the_process = nullptr;
}

void start(const std::shared_ptr<atl::runtime>& shared) {
  the_process = new process_state(shared);
  set_variables(*the_process);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  open_objects(*the_process);
  ::on_exit(end_at_exit, nullptr);
  freeze_if_asked(the_process->rank());
  if (polite_is_wanted()) the_process->runtime.set_waiting(wait_mode::yield);
}

}  // namespace
}  // namespace atl::upc

using namespace atl;
using namespace atl::upc;

namespace {

std::size_t the_shared_heap_bytes = 0;  // as the program was linked for

void start_or_end(int* argc, char*** argv) noexcept {
  if (the_process != nullptr) return;
  // Held outside, since a runtime that an exception ends would end the process before its cause is
  // reported.
  std::shared_ptr<atl::runtime> shared;
  try {
    const launch_options asked = take_options(argc, argv, static_threads());
    shared = join_or_start(asked.shared_heap_bytes != 0 ? asked.shared_heap_bytes
                                                        : the_shared_heap_bytes);
    start(shared);
  } catch (const std::exception& refused) {
    log_error(refused.what());
    std::_Exit(EXIT_FAILURE);
  }
}

}  // namespace

void atoll_upc_want_shared_heap(unsigned long long bytes) { the_shared_heap_bytes = bytes; }

int atoll_upc_start(int argc, char** argv, int (*program)(int, char**)) {
  start_or_end(&argc, &argv);
  return program(argc, argv);
}

void bupc_init(int* argc, char*** argv) { start_or_end(argc, argv); }

void bupc_init_reentrant(int* argc, char*** argv, int (*program)(int, char**)) {
  start_or_end(argc, argv);
  if (program != nullptr) std::exit(program(*argc, *argv));
}

void bupc_exit(int code) { std::exit(code); }

void upc_global_exit(int status) {
  std::fflush(nullptr);
  running("upc_global_exit").runtime.exit(status);
}
