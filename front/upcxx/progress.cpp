// SPDX-License-Identifier: BSD-3-Clause
//
// Progress: the runtime's first, then, at user level, the work of this thread's personas. A mailbox
// runs only as much as was there when we looked, so that a call that sends itself again does not
// keep progress from returning.
//
// A program that spins on progress() gives its core away when nothing comes: each time where ranks
// share cores, and now and then where only its own threads may be more than cores.
#include <atoll/base/log.hpp>
#include <front/upcxx/process.hpp>
#include <upcxx/job.hpp>
#include <upcxx/progress.hpp>

#include <sched.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>

namespace atl::upcxx_front {
namespace {

constexpr unsigned patience = 8;    // idle calls before the core is given away
constexpr unsigned looks_max = 64;  // at operations under way, in one call

std::size_t run_all(work_queue& from) noexcept {
  if (from.empty()) return 0;
  // Work that is pushed while these run goes to a list of its own and waits for the next progress.
  work* each = std::exchange(from.first, nullptr);
  from.end = &from.first;
  std::size_t ran = 0;
  while (each != nullptr) {
    work& one = *std::exchange(each, each->next);
    one.run(one);
    ++ran;
  }
  return ran;
}

void collect_mail(persona_state& mine) noexcept {
  if (mine.mail.load(std::memory_order_relaxed) == nullptr) return;
  // Acquire: pairs with the release of send_work.
  work* newest = mine.mail.exchange(nullptr, std::memory_order_acquire);
  work* oldest = nullptr;
  while (newest != nullptr) {
    work* const next = std::exchange(newest->next, oldest);
    oldest = std::exchange(newest, next);
  }
  while (oldest != nullptr) {
    work* const next = oldest->next;
    mine.todo.push(*oldest);
    oldest = next;
  }
}

// Those that are complete leave the queue; their notifications run at user level only. Once round
// at most, and no further than `looks_max` that are not complete: these go to the end, so that all
// have their turn and progress takes no longer where many are under way.
std::size_t look_at_flights(persona_state& mine, bool user_level) noexcept {
  queue_of<in_flight> complete;
  const in_flight* once_round = nullptr;  // the first that stays
  for (unsigned looks = 0; looks < looks_max && !mine.flying.empty();) {
    if (mine.flying.first == once_round) break;
    in_flight& one = mine.flying.pop();
    const bool done = (user_level || one.owed) && one.look(one);
    if (done) one.owed = false;
    if (done && user_level) {
      complete.push(one);
      continue;
    }
    mine.flying.push(one);
    if (once_round == nullptr) once_round = &one;
    ++looks;
  }
  std::size_t ended = 0;
  for (; !complete.empty(); ++ended) {
    in_flight& one = complete.pop();
    one.finish(one);
  }
  return ended;
}

// Whether one call cannot look at all operations that are under way here. Those that it leaves out
// may be complete already, and no doorbell rings for them again.
bool exceeds_one_look(const persona_state& mine) noexcept {
  unsigned count = 0;
  for (const in_flight* each = mine.flying.first; each != nullptr; each = each->next)
    if (++count > looks_max) return true;
  return false;
}

// Mostly there is nothing, so all three are looked at by one test. Relaxed: only a hint, as in
// collect_mail.
bool has_something(const persona_state& of) noexcept {
  const work* const mail = of.mail.load(std::memory_order_relaxed);
  return (std::bit_cast<std::uintptr_t>(mail) | std::bit_cast<std::uintptr_t>(of.todo.first) |
          std::bit_cast<std::uintptr_t>(of.flying.first)) != 0;
}

// Work of a persona runs with that persona as the current one, so that operations started there
// belong to it, whatever else is on the stack.
[[gnu::noinline]] std::size_t serve(upcxx::persona& one) noexcept {
  persona_state& mine = state_of(one);
  collect_mail(mine);
  std::optional<upcxx::persona_scope> as_current;
  if (&upcxx::current_persona() != &one) as_current.emplace(one);
  std::size_t ran = run_all(mine.todo);
  if (!mine.flying.empty()) ran += look_at_flights(mine, true);
  return ran;
}

// Serves this persona and those below it.
[[gnu::noinline]] std::size_t serve_from(const upcxx::persona_scope* each,
                                         thread_personas& mine) noexcept {
  std::size_t ran = 0;
  mine.restricted = true;
  for (; each != nullptr; each = thread_personas::below(*each)) {
    upcxx::persona& one = thread_personas::persona_of(*each);
    if (has_something(state_of(one))) ran += serve(one);
  }
  mine.restricted = false;
  return ran;
}

[[gnu::noinline]] std::size_t advance_internally(thread_personas& mine) noexcept {
  const std::size_t done = job.runtime != nullptr ? job.runtime->progress() : 0;
  for (const upcxx::persona_scope* each = mine.top; each != nullptr;
       each = thread_personas::below(*each)) {
    persona_state& state = state_of(thread_personas::persona_of(*each));
    if (!state.flying.empty()) look_at_flights(state, false);
  }
  return done;
}

// Inlined where a program spins: most of what is left is looking.
[[gnu::always_inline]] inline std::size_t advance_for_user(thread_personas& mine) noexcept {
  mine.takes_calls = true;
  const std::size_t done = job.runtime != nullptr ? job.runtime->progress() : 0;
  mine.takes_calls = false;
  for (const upcxx::persona_scope* each = mine.top; each != nullptr;
       each = thread_personas::below(*each)) {
    if (has_something(state_of(thread_personas::persona_of(*each)))) {
      return done + serve_from(each, mine);
    }
  }
  return done;
}

// Nothing has come so many times in a row.
[[gnu::noinline]] void give_the_core_away(unsigned idle) noexcept {
  // Also with a core per rank its threads may be more than that.
  if (job.runtime->crowded() || idle % 256 == 0) sched_yield();
}

}  // namespace

std::size_t advance(bool user_level) noexcept {
  thread_personas& mine = this_thread();
  return user_level && !mine.restricted ? advance_for_user(mine) : advance_internally(mine);
}

void wait_for(const cell* one) noexcept {
  need_job("future::wait");
  if (one == nullptr) {
    refuse("future::wait", "the future was made without an operation and can never become ready",
           "wait for what an operation, a promise or then() has returned");
  }
  if (this_thread().restricted) {
    refuse("future::wait", "called in the restricted context, where nothing can become ready",
           "attach a callback by then(), or return the future to whoever may wait");
  }
  const auto ready = [one] { return one->ready(); };
  const std::int64_t sleep_ns_max = exceeds_one_look(state_of(upcxx::current_persona()))
                                        ? runtime::silent_sleep_ns
                                        : job.runtime->bell_sleep_ns();
  job.runtime->wait_while([] { return advance(true); }, ready, sleep_ns_max);
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
  static std::atomic<bool> told = false;
  if (told.exchange(true, std::memory_order_relaxed)) return;
  log_warning(call, ": ", cause,
              ", and are replaced; give each operation that brings values a promise of its own, or "
              "collect operations that bring none in a promise<>. This is told once, and is an "
              "error where UPCXX_ASSERT_ENABLED is 1");
}

}  // namespace atl::upcxx_front

namespace upcxx {

using atl::upcxx_front::job;
using atl::upcxx_front::this_thread;
using atl::upcxx_front::thread_personas;

void progress(progress_level level) noexcept {
  atl::upcxx_front::need_job("upcxx::progress");
  thread_personas& mine = this_thread();
  const bool serves = level == progress_level::user && !mine.restricted;
  const std::size_t done = serves ? atl::upcxx_front::advance_for_user(mine)
                                  : atl::upcxx_front::advance_internally(mine);
  mine.idle = done != 0 ? 0 : mine.idle + 1;
  if (mine.idle > atl::upcxx_front::patience) atl::upcxx_front::give_the_core_away(mine.idle);
}

bool in_progress() noexcept { return this_thread().restricted; }

bool progress_required(persona_scope& from) noexcept {
  for (const persona_scope* each = this_thread().top; each != nullptr;
       each = thread_personas::below(*each)) {
    const auto* flight =
        atl::upcxx_front::state_of(thread_personas::persona_of(*each)).flying.first;
    for (; flight != nullptr; flight = flight->next) {
      if (flight->owed) return true;
    }
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
