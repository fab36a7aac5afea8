// SPDX-License-Identifier: BSD-3-Clause
//
// Personas: the receivers of notifications. Each thread has a stack of active personas; the
// operations that it starts belong to the topmost, and its user-level progress serves all of them.
// A persona is a mailbox that any thread may put calls into, and a list that only its holder
// touches: notifications to give at the next user-level progress. An operation of the core that is
// under way comes back as mail when it is complete.
// A persona may be active with one thread at a time. The program must see to that, best by the form
// of persona_scope that takes a lock. Spec: 10.4, 10.5.
#pragma once

#include <upcxx/future.hpp>
#include <upcxx/promise.hpp>

#include <atoll/core/progress/event.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace upcxx {

class persona;
class persona_scope;

/// The persona that the calling thread acts as: its notifications go there.
persona& current_persona() noexcept;

}  // namespace upcxx

namespace atl::upcxx_front {

/// Something to be run once at user-level progress; `run` also ends it.
struct work {
  work* next = nullptr;
  void (*run)(work& self) noexcept = nullptr;
};

/// A callable as work.
template <class Func>
struct work_of final : work {
  template <class From>
  explicit work_of(From&& from) : func(std::forward<From>(from)) {
    run = [](work& self) noexcept {
      auto& me = static_cast<work_of&>(self);
      std::invoke(std::move(me.func));
      end_in_block(&me);
    };
  }
  Func func;
};

template <class Func>
work& make_work(Func&& func) {
  return *make_in_block<work_of<std::decay_t<Func>>>(std::forward<Func>(func));
}

/// An operation that is not complete. When it is, the thread that finds it so calls `arrive` and
/// sends it to its persona, where `run` gives the notifications at user level.
struct in_flight : work {
  /// The part that needs no user-level progress: notifies other ranks and personas. May be null.
  void (*arrive)(in_flight& self) noexcept = nullptr;
  upcxx::persona* owner = nullptr;  // set by register_flight
  bool is_awaited = false;          // another rank or persona waits for arrive()
  bool silent = false;              // its persona is not notified, and need not outlive it
};

/// A queue of items that have a `next`, oldest first; only its holder uses it.
template <class Kind>
struct queue_of {
  Kind* first = nullptr;
  Kind** end = &first;

  queue_of() = default;
  queue_of(const queue_of&) = delete;
  queue_of& operator=(const queue_of&) = delete;
  bool empty() const noexcept { return first == nullptr; }
  void push(Kind& item) noexcept {
    item.next = nullptr;
    *end = &item;
    end = &item.next;
  }
  Kind& pop() noexcept {
    Kind& item = *first;
    first = item.next;
    if (first == nullptr) end = &first;
    return item;
  }
};

using work_queue = queue_of<work>;

struct persona_state {
  std::atomic<work*> mail = nullptr;             // from any thread, newest first
  work_queue todo;                               // the holder's
  std::uint32_t flying = 0;                      // operations under way; the holder's
  std::atomic<std::uint32_t> awaited_count = 0;  // of them, those with `is_awaited`
  std::atomic<std::uint32_t> held = 0;           // scopes that it is active in
  bool of_library = false;                       // not made by the program
};

persona_state& state_of(upcxx::persona& persona) noexcept;

/// Puts work into a persona's mailbox, from any thread; wakes the threads that wait.
void send_work(upcxx::persona& to, work& item) noexcept;
/// Leaves work for the next user-level progress of the calling thread's current persona.
void defer_work(work& item) noexcept;
/// Sends an operation to the current persona when it is complete; `done` is empty afterwards.
void register_flight(in_flight& flight, event& done) noexcept;
/// To be called by the `run` of an operation that has come back.
void unregister_flight(const in_flight& flight) noexcept;

struct thread_personas;

/// A call to another persona and back: made by lpc().
template <class Func, class Target>
class round_trip;

}  // namespace atl::upcxx_front

namespace upcxx {

/// The owner of notifications. At most one thread has a persona active at a time, by a
/// persona_scope; work that is sent to it runs in that thread's user-level progress. It must be
/// inactive, with nothing left to do, when it ends. Spec: 10.5.
class persona {
 public:
  persona() noexcept = default;
  persona(const persona&) = delete;
  persona& operator=(const persona&) = delete;
  ~persona();

  /// Runs func() at a later user-level progress of this persona. Any thread.
  template <class Func>
  void lpc_ff(Func&& func) {
    static_assert(std::is_invocable_v<std::decay_t<Func>>,
                  "persona::lpc_ff: the function object cannot be called without arguments");
    atl::upcxx_front::send_work(*this, atl::upcxx_front::make_work(std::forward<Func>(func)));
  }

  /// The same; what it returns comes back to the caller's current persona as a future.
  template <class Func>
  auto lpc(Func&& func) {
    namespace front = atl::upcxx_front;
    using stored = std::decay_t<Func>;
    static_assert(std::is_invocable_v<stored>,
                  "persona::lpc: the function object cannot be called without arguments");
    using target = front::future_of<std::invoke_result_t<stored>>;
    return front::round_trip<stored, target>::start(*this, std::forward<Func>(func));
  }

  /// Whether this persona is on the calling thread's stack.
  bool active_with_caller() const noexcept;

 private:
  friend atl::upcxx_front::persona_state& atl::upcxx_front::state_of(persona& persona) noexcept;
  atl::upcxx_front::persona_state state_;
};

}  // namespace upcxx

inline atl::upcxx_front::persona_state& atl::upcxx_front::state_of(
    upcxx::persona& persona) noexcept {
  return persona.state_;
}

namespace upcxx {

/// Makes a persona the calling thread's current one, for the length of a scope. Scopes of a thread
/// end in the reverse order of their making.
class persona_scope {
 public:
  explicit persona_scope(persona& persona) noexcept { push(persona); }

  /// Locks the mutex at the beginning of the scope, and unlocks it at the end.
  template <class Mutex>
  persona_scope(Mutex& mutex, persona& persona) : mutex_(&mutex) {
    mutex.lock();
    unlock_ = [](void* locked) { static_cast<Mutex*>(locked)->unlock(); };
    push(persona);
  }
  persona_scope(persona_scope&& other) noexcept;
  persona_scope(const persona_scope&) = delete;
  persona_scope& operator=(const persona_scope&) = delete;
  ~persona_scope() {
    if (persona_ == nullptr) return;
    pop();
    if (unlock_ != nullptr) unlock_(mutex_);
  }

 private:
  friend struct atl::upcxx_front::thread_personas;

  persona_scope() noexcept = default;  // of a thread's own persona
  void push(persona& persona) noexcept;
  void pop() noexcept;

  persona* persona_ = nullptr;  // null: moved from
  persona_scope* below_ = nullptr;
  void* mutex_ = nullptr;
  void (*unlock_)(void*) = nullptr;
};

/// The persona that alone runs what other ranks send; init() makes it current.
persona& master_persona() noexcept;
/// The persona that the calling thread has from its start.
persona& default_persona() noexcept;
/// Takes the master persona from the thread that called init(), so that others may acquire it.
void liberate_master_persona() noexcept;

/// The newest scope of the calling thread, and its oldest: that of its own persona.
persona_scope& top_persona_scope() noexcept;
persona_scope& default_persona_scope() noexcept;

}  // namespace upcxx

namespace atl::upcxx_front {

template <class Func, class... T>
class round_trip<Func, upcxx::future<T...>> final : public work {
 public:
  template <class From>
  static upcxx::future<T...> start(upcxx::persona& to, From&& func) {
    auto* const made = make_in_block<round_trip>(std::forward<From>(func));
    upcxx::future<T...> result = made->done_.get_future();
    send_work(to, *made);
    return result;
  }

  template <class From>
  explicit round_trip(From&& func) : back_(upcxx::current_persona()) {
    func_.emplace(std::forward<From>(func));
    run = &run_at_target;
  }

 private:
  static void run_at_target(work& self) noexcept {
    auto& me = static_cast<round_trip&>(self);
    auto result =
        future_from([&]() -> decltype(auto) { return std::invoke(std::move(*me.func_)); });
    // This object is not touched after it has been sent: it then belongs to the other persona.
    if (result.ready()) return me.send_back(std::move(result));
    result.then(
        [sender = &me, result](const auto&...) mutable { sender->send_back(std::move(result)); });
  }
  void send_back(upcxx::future<T...>&& result) noexcept {
    func_.reset();
    result_ = own_values(std::move(result));
    run = &run_at_sender;
    send_work(back_, *this);
  }
  static void run_at_sender(work& self) noexcept {
    auto& me = static_cast<round_trip&>(self);
    const upcxx::promise<T...> done = std::move(me.done_);
    const upcxx::future<T...> result = std::move(me.result_);
    end_in_block(&me);
    fulfil_alike(done, result);
  }

  upcxx::persona& back_;
  upcxx::promise<T...> done_;
  std::optional<Func> func_;
  upcxx::future<T...> result_;  // no other future shares it while it goes from thread to thread
};

}  // namespace atl::upcxx_front
