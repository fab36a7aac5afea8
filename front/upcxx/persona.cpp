// SPDX-License-Identifier: BSD-3-Clause
//
// The stack of personas of each thread, and mailboxes. A mailbox is a list that any thread pushes
// to by compare-and-swap and that only the holder empties, all at once, so no node is ever read
// after it could have been given back.
#include <atoll/base/threads/thread_end.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <front/upcxx/process_state.hpp>
#include <upcxx/job.hpp>

#include <mutex>
#include <utility>
#include <vector>

namespace atl::upcxx_front {

thread_personas::thread_personas() noexcept {
  bottom.persona_ = &own;
  state_of(own).of_library = true;
  state_of(own).held.store(1, std::memory_order_relaxed);
}

thread_personas::~thread_personas() {
  my_personas = nullptr;
  bottom.persona_ = nullptr;
  state_of(own).held.store(0, std::memory_order_relaxed);
}

constinit thread_local thread_personas* my_personas [[gnu::tls_model("initial-exec")]] = nullptr;

namespace {

// Operations that the thread has started and left under way will still be sent to its persona, so
// the persona is kept.
void end_personas(thread_personas& ended) {
  // Acquire: pairs with the release in bring_home, whose last access it is.
  const bool has_awaited = state_of(ended.own).awaited_count.load(std::memory_order_acquire) != 0;
  if (state_of(ended.own).flying == 0 && !has_awaited) {
    delete &ended;
    return;
  }
  my_personas = nullptr;
  static std::mutex guard;
  static auto* const ended_threads =
      new std::vector<thread_personas*>;  // reachable, so no leak is reported
  const std::lock_guard hold(guard);
  ended_threads->push_back(&ended);
}

}  // namespace

// At the end of the thread the master scope ends first, while the thread's personas can be found.
thread_personas& make_personas() noexcept {
  my_personas = new thread_personas;
  at_end_of_thread(
      [](void*) {
        my_personas->master_scope.reset();
        end_personas(*my_personas);
      },
      nullptr);
  return *my_personas;
}

void send_work(upcxx::persona& to, work& item) noexcept {
  std::atomic<work*>& mail = state_of(to).mail;
  item.next = mail.load(std::memory_order_relaxed);
  // Release: pairs with the exchange that empties the mailbox (progress.cpp).
  while (!mail.compare_exchange_weak(item.next, &item, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
  if (job.runtime != nullptr) atl::layer_access::wake_own_threads(*job.runtime);
}

void defer_work(work& item) noexcept { state_of(upcxx::current_persona()).todo.push(item); }

namespace {

// Runs on the thread that has found the operation complete. The persona exists until the flight has
// run there, so after the flight was sent, neither is accessed. After finalize() `arrive` is not
// called.
void bring_home(in_flight& flight) noexcept {
  if (flight.arrive != nullptr && job.runtime != nullptr) flight.arrive(flight);
  persona_state& state = state_of(*flight.owner);
  const bool is_awaited = flight.is_awaited;
  const bool silent = flight.silent;
  if (silent) flight.run(flight);  // only destroys the flight
  // Release: pairs with progress_required; what was owed has been given.
  if (is_awaited) state.awaited_count.fetch_sub(1, std::memory_order_release);
  if (silent) return;
  send_work(*flight.owner, flight);
}

}  // namespace

void register_flight(in_flight& flight, event& done) noexcept {
  flight.owner = &upcxx::current_persona();
  persona_state& state = state_of(*flight.owner);
  if (!flight.silent) ++state.flying;
  if (flight.is_awaited) state.awaited_count.fetch_add(1, std::memory_order_relaxed);
  const atl::continuation home{
      .run = [](void* context,
                operation_status) noexcept { bring_home(*static_cast<in_flight*>(context)); },
      .context = &flight};
  if (!job.runtime->when_complete(done, home)) bring_home(flight);
}

void unregister_flight(const in_flight& flight) noexcept { --state_of(*flight.owner).flying; }

// --- the master persona ------------------------------------------------------------------------

namespace {

// One object for the life of the process: programs keep references to it.
upcxx::persona& the_master() noexcept {
  static upcxx::persona& master = []() -> upcxx::persona& {
    static upcxx::persona made;
    state_of(made).of_library = true;  // a program may exit with work left for it
    return made;
  }();
  return master;
}

}  // namespace

void hold_master() { this_thread().master_scope.emplace(the_master()); }

void drop_master() noexcept {
  if (my_personas != nullptr) my_personas->master_scope.reset();
}

}  // namespace atl::upcxx_front

namespace upcxx {

using atl::upcxx_front::job;
using atl::upcxx_front::refuse;
using atl::upcxx_front::state_of;
using atl::upcxx_front::this_thread;
using atl::upcxx_front::thread_personas;

persona::~persona() {
  if (state_.of_library) return;
  // Relaxed: a wrong use that another thread is about to begin is not found, and need not be.
  if (state_.held.load(std::memory_order_relaxed) != 0) {
    refuse("persona::~persona", "the persona is still active with a thread",
           "end its persona_scope before the persona");
  }
  if (job.runtime == nullptr) return;
  // Acquire: pairs with the release in bring_home, whose last access to the state it is.
  if (state_.mail.load(std::memory_order_relaxed) != nullptr || !state_.todo.empty() ||
      state_.flying != 0 || state_.awaited_count.load(std::memory_order_acquire) != 0) {
    refuse("persona::~persona", "calls or notifications for the persona have not been run",
           "make it active and call progress() until what was started with it, and all that was "
           "sent to it, has come");
  }
}

bool persona::active_with_caller() const noexcept {
  for (const persona_scope* each = this_thread().top; each != nullptr;
       each = thread_personas::below(*each)) {
    if (&thread_personas::persona_of(*each) == this) return true;
  }
  return false;
}

void persona_scope::push(persona& persona) noexcept {
  thread_personas& thread = this_thread();
  // Relaxed: the program keeps holders apart by its own lock; this only finds some that do not.
  if (state_of(persona).held.load(std::memory_order_relaxed) != 0 &&
      !persona.active_with_caller()) {
    refuse("persona_scope::persona_scope", "the persona is active with another thread",
           "give one lock to all threads that use the persona, and it to the scope's constructor");
  }
  state_of(persona).held.fetch_add(1, std::memory_order_relaxed);
  persona_ = &persona;
  below_ = thread.top;
  thread.top = this;
  if (&persona == &master_persona()) ++thread.masters;
}

void persona_scope::pop() noexcept {
  thread_personas& thread = this_thread();
  if (thread.top != this) {
    refuse("persona_scope::~persona_scope", "it is not the newest scope of the calling thread",
           "end scopes in the reverse order of their making, on the thread that made them");
  }
  thread.top = below_;
  if (persona_ == &master_persona()) --thread.masters;
  state_of(*persona_).held.fetch_sub(1, std::memory_order_relaxed);
}

persona_scope::persona_scope(persona_scope&& other) noexcept
    : persona_(std::exchange(other.persona_, nullptr)),
      below_(other.below_),
      mutex_(other.mutex_),
      unlock_(other.unlock_) {
  persona_scope** link = &this_thread().top;
  while (*link != nullptr && *link != &other) link = &(*link)->below_;
  if (*link == &other) *link = this;
}

persona& master_persona() noexcept { return atl::upcxx_front::the_master(); }
persona& default_persona() noexcept { return this_thread().own; }
persona& current_persona() noexcept { return thread_personas::persona_of(*this_thread().top); }
persona_scope& top_persona_scope() noexcept { return *this_thread().top; }
persona_scope& default_persona_scope() noexcept { return this_thread().bottom; }

void liberate_master_persona() noexcept {
  auto& scope = this_thread().master_scope;
  if (!scope || this_thread().top != &*scope) {
    refuse("upcxx::liberate_master_persona",
           "the master persona is not on top of this thread's stack as init() has left it",
           "call it once, by the thread that called init(), outside of persona scopes");
  }
  scope.reset();
}

}  // namespace upcxx
