// SPDX-License-Identifier: BSD-3-Clause
//
// Progress: the runtime's first, then, at user level, the work of this thread's personas. Of a
// mailbox only the work that was there when we looked runs, so that a call that sends itself again
// does not keep progress from returning.
//
// A program that spins on progress() gives its core away when nothing comes: each time where ranks
// share cores, and now and then elsewhere, because a rank may have more threads than cores.
#include <atoll/base/log.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <front/upcxx/process_state.hpp>
#include <upcxx/job.hpp>
#include <upcxx/progress.hpp>

#include <sched.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>

namespace atl::upcxx_front {
namespace {

constexpr unsigned patience = 8;  // idle calls before the core is given away

std::size_t run_all(work_queue& from) noexcept {
  if (from.empty()) return 0;
  // Work that is pushed while these run goes to a list of its own and waits for the next progress.
  work* each = std::exchange(from.first, nullptr);
  from.end = &from.first;
  std::size_t ran = 0;
  while (each != nullptr) {
    work& item = *std::exchange(each, each->next);
    item.run(item);
    ++ran;
  }
  return ran;
}

void collect_mail(persona_state& state) noexcept {
  if (state.mail.load(std::memory_order_relaxed) == nullptr) return;
  // Acquire: pairs with the release of send_work.
  work* newest = state.mail.exchange(nullptr, std::memory_order_acquire);
  work* oldest = nullptr;
  while (newest != nullptr) {
    work* const next = std::exchange(newest->next, oldest);
    oldest = std::exchange(newest, next);
  }
  while (oldest != nullptr) {
    work* const next = oldest->next;
    state.todo.push(*oldest);
    oldest = next;
  }
}

// Mostly there is nothing, so one test covers mail and todo. Relaxed: only a hint, as in
// collect_mail.
bool has_something(const persona_state& state) noexcept {
  const work* const mail = state.mail.load(std::memory_order_relaxed);
  return (std::bit_cast<std::uintptr_t>(mail) | std::bit_cast<std::uintptr_t>(state.todo.first)) !=
         0;
}

// Work of a persona runs with that persona as the current one, so that operations started there
// belong to it, whatever else is on the stack.
[[gnu::noinline]] std::size_t serve(upcxx::persona& persona) noexcept {
  persona_state& state = state_of(persona);
  collect_mail(state);
  std::optional<upcxx::persona_scope> as_current;
  if (&upcxx::current_persona() != &persona) as_current.emplace(persona);
  return run_all(state.todo);
}

// Serves this persona and those below it.
[[gnu::noinline]] std::size_t serve_from(const upcxx::persona_scope* each,
                                         thread_personas& thread) noexcept {
  std::size_t ran = 0;
  thread.restricted = true;
  for (; each != nullptr; each = thread_personas::below(*each)) {
    upcxx::persona& persona = thread_personas::persona_of(*each);
    if (has_something(state_of(persona))) ran += serve(persona);
  }
  thread.restricted = false;
  return ran;
}

std::size_t advance_internally() noexcept {
  return job.runtime != nullptr ? job.runtime->progress() : 0;
}

// Inlined because programs spin on it, and most of the time is spent on looking.
[[gnu::always_inline]] inline std::size_t advance_for_user(thread_personas& thread) noexcept {
  thread.takes_calls = true;
  const std::size_t done = advance_internally();
  thread.takes_calls = false;
  for (const upcxx::persona_scope* each = thread.top; each != nullptr;
       each = thread_personas::below(*each)) {
    if (has_something(state_of(thread_personas::persona_of(*each)))) {
      return done + serve_from(each, thread);
    }
  }
  return done;
}

// Called after a number of idle calls in a row.
[[gnu::noinline]] void give_the_core_away(unsigned idle) noexcept {
  if (job.runtime->is_oversubscribed() || idle % 256 == 0) sched_yield();
}

}  // namespace

std::size_t advance(bool user_level) noexcept {
  thread_personas& thread = this_thread();
  return user_level && !thread.restricted ? advance_for_user(thread) : advance_internally();
}

void wait_for(const cell* awaited) noexcept {
  need_job("future::wait");
  if (awaited == nullptr) {
    refuse("future::wait", "the future was made without an operation and can never become ready",
           "wait for what an operation, a promise or then() has returned");
  }
  if (this_thread().restricted) {
    refuse("future::wait", "called in the restricted context, where nothing can become ready",
           "attach a callback by then(), or return the future to a caller outside of callbacks");
  }
  const auto ready = [awaited] { return awaited->ready(); };
  job.runtime->wait_while([] { return advance(true); }, ready,
                          atl::layer_access::bell_sleep_ns(*job.runtime));
}

void refuse_future(const char* call) noexcept {
  refuse(call, "the future is not ready", "ask ready() before, or call wait()");
}

void refuse_promise(const char* call, const char* cause) noexcept {
  refuse(call, cause,
         "balance require_anonymous() and what is registered on the promise with fulfilments");
}

void tell_of_second_values(bool is_error) noexcept {
  constexpr const char* call = "promise::fulfill_result";
  constexpr const char* cause = "the values have been given before";
  if (is_error) refuse_promise(call, cause);
  // Relaxed: it orders nothing, it only lets one thread write.
  static std::atomic<bool> is_reported = false;
  if (is_reported.exchange(true, std::memory_order_relaxed)) return;
  log_warning(call, ": ", cause,
              ", and are replaced; give each operation that brings values a promise of its own, or "
              "collect operations that bring none in a promise<>. This is reported once, and is an "
              "error where UPCXX_ASSERT_ENABLED is 1");
}

}  // namespace atl::upcxx_front

namespace upcxx {

using atl::upcxx_front::job;
using atl::upcxx_front::this_thread;
using atl::upcxx_front::thread_personas;

void progress(progress_level level) noexcept {
  atl::upcxx_front::need_job("upcxx::progress");
  thread_personas& thread = this_thread();
  const bool serves = level == progress_level::user && !thread.restricted;
  const std::size_t done =
      serves ? atl::upcxx_front::advance_for_user(thread) : atl::upcxx_front::advance_internally();
  thread.idle = done != 0 ? 0 : thread.idle + 1;
  if (thread.idle > atl::upcxx_front::patience) atl::upcxx_front::give_the_core_away(thread.idle);
}

bool in_progress() noexcept { return this_thread().restricted; }

bool progress_required(persona_scope& from) noexcept {
  for (const persona_scope* each = this_thread().top; each != nullptr;
       each = thread_personas::below(*each)) {
    const auto& state = atl::upcxx_front::state_of(thread_personas::persona_of(*each));
    // Acquire: pairs with the release of bring_home, when an operation has come.
    if (state.awaited_count.load(std::memory_order_acquire) != 0) return true;
    if (each == &from) return false;
  }
  atl::upcxx_front::refuse("upcxx::progress_required",
                           "the persona_scope is not on the calling thread's stack",
                           "name a scope that this thread has made, or none for all of them");
}

void discharge(persona_scope& from) noexcept {
  while (progress_required(from)) progress(progress_level::internal);
}

}  // namespace upcxx
