// SPDX-License-Identifier: BSD-3-Clause
//
// The shared runtime is known by a weak pointer, so that it does not outlive the fronts. A lock
// serves programs that start one front in one thread and another in a second one.
#include <atoll/core/job/shared_runtime.hpp>

#include <atoll/base/error.hpp>
#include <atoll/core/settings.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace atl {
namespace {

struct runtime_slot {
  std::mutex guard;
  std::weak_ptr<runtime> current;
  std::atomic<runtime*> running = nullptr;
  // The threads that fronts of the program will need; written before main, or while a library is
  // loaded.
  std::atomic<thread_mode> expected = thread_mode::single;
  std::atomic<bool> expects_as_set = false;
};

// Never destroyed: a front may hold the runtime in a static object that is destroyed later.
runtime_slot& place() noexcept {
  static auto* const only = new runtime_slot;
  return *only;
}

// Forgets this runtime first, and no other; from then on another may be started.
void end(runtime* last) {
  runtime* expected = last;
  place().running.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel);
  delete last;
}

// The threads that the first front asks for, and those that fronts after it will.
std::optional<thread_mode> threads_for_all(const runtime_options& options) {
  if (!options.threads) return std::nullopt;
  thread_mode wanted = std::max(*options.threads, place().expected.load(std::memory_order_relaxed));
  if (place().expects_as_set.load(std::memory_order_relaxed)) {
    const settings known = options.configuration.value_or(settings::from_environment());
    wanted = std::max(wanted, static_cast<thread_mode>(known.choice(setting::threads)));
  }
  return wanted;
}

}  // namespace

// Relaxed: constructors run before any front starts, in the thread that starts it or before it
// exists.
void expect_threads(std::optional<thread_mode> wanted) noexcept {
  if (!wanted) {
    place().expects_as_set.store(true, std::memory_order_relaxed);
  } else if (*wanted > place().expected.load(std::memory_order_relaxed)) {
    place().expected.store(*wanted, std::memory_order_relaxed);
  }
}

// Acquire: a runtime that is seen is whole.
runtime* running_runtime() noexcept { return place().running.load(std::memory_order_acquire); }

std::shared_ptr<runtime> find_shared_runtime() noexcept {
  const std::lock_guard hold(place().guard);
  return place().current.lock();
}

std::shared_ptr<runtime> start_shared_runtime(runtime_options options) {
  const std::lock_guard hold(place().guard);
  if (!place().current.expired()) {
    throw error("start of a runtime", "this process has one that its fronts share",
                "start one front after the other, from one thread");
  }
  options.threads = threads_for_all(options);
  const std::shared_ptr<runtime> made(new runtime(std::move(options), runtime_layout), end);
  place().current = made;
  place().running.store(made.get(), std::memory_order_release);  // pairs with running_runtime()
  return made;
}

void need_threads(const runtime& shared, thread_mode wanted, std::string_view caller) {
  if (shared.threads() >= wanted) return;
  throw error(std::string(caller),
              "the runtime of this process was started before, for a single thread",
              "start this first, compile the GASNet client with GASNET_PAR, start OpenSHMEM by "
              "shmem_init_thread() with SHMEM_THREAD_SERIALIZED or SHMEM_THREAD_MULTIPLE, or set "
              "ATOLL_THREADS=single if only one thread communicates");
}

}  // namespace atl
