// SPDX-License-Identifier: BSD-3-Clause
//
// The engine runs the collectives of one runtime. A call becomes an active operation: a root task
// and what it waits for. Starting a call runs its task until it must wait; progress does the rest,
// one thread at a time. An operation that waits for messages costs nothing until they have arrived
// (the last of them puts it on a list). For an operation that waits for a condition, each progress
// checks the condition.
//
// Members may run ahead of each other, but by less than two windows of calls: in each window the
// engine starts a fence of its own in the background, and no call of the next window begins before
// that fence is complete. This bounds the number of messages that arrive early. Only calls whose
// algorithm sends messages count.
//
// When a member of a team is lost, the operations of that team end with peer_lost, and so does
// every later one. Such an operation stays where it was, with its memory, because messages of other
// members may still name it; what they bring is dropped. Its results mean nothing.
//
// A call that ends with peer_lost has waited for its own gets, and for nothing else. Its own puts
// may still read its source. Members that live on may still write to its target or read its source,
// by copies, puts or gets (of up to 1 MiB) that began before they heard of the loss. So the
// program must neither free nor reuse the source and the target of such a call before the runtime
// ends; no function tells an earlier moment.
//
// Threads: any, in mode `any`. All members make their calls on one team in the same order, from one
// thread at a time.
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/coll/choice.hpp>
#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/engine/mailbox.hpp>
#include <atoll/coll/engine/table.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>
#include <atoll/core/progress/attachment.hpp>
#include <atoll/core/progress/event.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace atl {
class runtime;
}

namespace atl::coll {

class online_tuner;
class selection;
struct tuned_call;

/// Data that the algorithms over shared memory keep for a team, made when it is first needed.
class team_part {
 public:
  team_part() = default;
  team_part(const team_part&) = delete;
  team_part& operator=(const team_part&) = delete;
  virtual ~team_part() = default;

  /// All turns before `end` are over for this member.
  virtual void turns_done(std::uint64_t end) noexcept = 0;
};

struct active_call;

/// The decision about the last call of a collective, kept because programs repeat their calls.
struct decision {
  std::size_t bytes = 0;  // of that call; 0: none yet
  std::size_t element_bytes = 0;
  bool commutative = false;
  bool blocking = false;
  bool strict = false;
  choice made = {};
  rank_id leaders = 1;  // that the hosts can have
  std::uint32_t phase_turns = 0;
  std::uint32_t turns = 0;         // of all phases
  tuned_call* searched = nullptr;  // the search that has made it, and says how often it may be used

  /// It depends on these, on the collective and team, and on what a caller asks for.
  bool fits(const arguments& request, bool is_blocking, bool is_strict) const noexcept {
    return bytes == request.bytes && element_bytes == request.combine.element_bytes &&
           commutative == request.combine.commutative && blocking == is_blocking &&
           strict == is_strict;
  }
};

/// A call as its caller gives it.
struct given_call {
  team& group;
  const arguments& request;
  const choice& options;
  bool blocking;
};

/// A call that may not begin yet, because its algorithm depends on times that are being combined.
struct postponed_call {
  team* group;
  arguments request;
  choice options;
  bool blocking;
  operation* record;
  given_call given() const noexcept { return {*group, request, options, blocking}; }
};

/// Data that the engine keeps for a team. Tasks may use it freely: one runs at a time.
struct team_state {
  team_state();
  ~team_state();

  std::uint32_t sequence = 0;   // calls so far, fences among them; a name, which may wrap
  std::uint64_t messaging = 0;  // of them, those that send messages
  std::uint64_t fences_ended = 0;
  std::atomic<std::uint32_t> under_way = 0;  // calls that have not ended, fences among them
  std::uint64_t turns = 0;                   // of shared state, reserved so far
  active_call* oldest = nullptr;             // of the calls under way that have turns, in order
  active_call* newest = nullptr;
  std::array<decision, static_cast<std::size_t>(collective::count)> decided;
  std::vector<rank_id> local;            // members on this host; made when first needed
  std::unique_ptr<host_map> hosts;       // made when first needed
  std::unique_ptr<team_part> shared;     // of the algorithms over shared memory
  std::unique_ptr<online_tuner> tuner;   // with ATOLL_TUNE=online; made when first needed
  tuned_call* kind = nullptr;            // of the call that begins; null: it is not searched
  bool asks_search = false;              // for that call
  bool has_barrier_radix = false;        // of a rule; set before the first call
  std::deque<postponed_call> postponed;  // in the order of the program

  const decision* kept_decision(const given_call& given) const noexcept;  // inline in engine.cpp

  /// Returns the first turn that is not over on this member.
  std::uint64_t turns_over() const noexcept;
  /// A call begins to have turns, is done with one of them, and has ended.
  void begin_turns(active_call& op) noexcept;
  void end_turn(active_call& op, std::uint64_t turn) noexcept;
  void end_turns(active_call& op) noexcept;
};

/// A thread that waits for one operation.
struct engine_waiter {
  operation_status status = operation_status::done;
  std::atomic<bool> ended = false;  // release by the engine, acquire by the waiter
};

/// One operation under way.
struct active_call {
  execution run;
  coll::call call;
  task root;
  const shared_form* form = nullptr;  // instead of a task, and its object
  void* form_room = nullptr;
  choice with_fences;  // of a call that has some
  engine* owner = nullptr;
  operation* record = nullptr;      // to be completed; null: none, or there is a waiter
  engine_waiter* waiter = nullptr;  // to be told
  tuned_call* agreement = nullptr;  // the engine combines the times of this one
  bool abandoned = false;           // a member was lost; it no longer goes on, and keeps its memory
  std::uint64_t fences_needed = 0;  // fences that must have ended before it begins
  active_call* next = nullptr;      // in the list of ready ones
  active_call* before = nullptr;    // in the list of those under way
  active_call* after = nullptr;
  std::uint64_t turn = 0;  // the first that is not over, where it has any
  bool has_turns = false;
  active_call* older = nullptr;  // in the team's list of those that have turns
  active_call* newer = nullptr;
};

/// The task of a call with fences.
task run_fenced(call& c);

inline std::uint64_t team_state::turns_over() const noexcept {
  return oldest == nullptr ? turns : oldest->turn;
}

inline void team_state::end_turn(active_call& op, std::uint64_t turn) noexcept {
  op.turn = turn + 1;
  if (&op == oldest) shared->turns_done(op.turn);
}

class engine final : public attachment {
 public:
  /// Collective: `open` makes it.
  explicit engine(runtime& owner);
  ~engine() override;

  /// Starts a call; the event is empty when it is already done. Must not run in a handler.
  event start(team& team, const arguments& request, const choice& options = {}) noexcept;

  /// Runs a call until it is complete. The status is peer_lost when a member is lost.
  operation_status run(team& team, const arguments& request, const choice& options = {}) noexcept;

  bool busy() const noexcept override {
    // Acquire: pairs with the release when the last one ended.
    return active_count_.load(std::memory_order_acquire) != 0 || mail_.owes();
  }
  bool advance() noexcept override;

  /// Forgets a team that is about to end and has no calls of the user under way. Collective on the
  /// team: waits for fences of the engine's own.
  void forget(const team& gone) noexcept;

  /// Counts `calls` calls that send messages as made and over, alike on all members of a team that
  /// has made none yet; for tests of what happens in a very long run.
  void assume_messaging_calls(const team& team, std::uint64_t calls) noexcept;

  /// The turns of its hosts' lanes that calls on a team have reserved on this rank, for tests.
  std::uint64_t turns_reserved(const team& team) noexcept;

  /// How often this rank has combined times with others, for tests.
  std::uint64_t agreements() noexcept;

  /// How algorithms are chosen.
  selection& chooser() noexcept { return *selection_; }

  /// The ranks have not agreed: from now on the engine cannot be opened.
  void refuse(const error& reason) { refusal_ = reason; }
  const std::optional<error>& refusal() const noexcept { return refusal_; }

  runtime& owner() const noexcept { return owner_; }
  mailbox& mail() noexcept { return mail_; }

  /// The number of teams that it keeps something for, for tests.
  std::size_t teams_known();

  /// The number of allocations from the system so far: constant while a program repeats itself.
  std::uint64_t allocations() noexcept;

  /// Marks an operation as ready: the last message that it waited for has arrived. Any thread.
  void make_ready(active_call& op) noexcept;

 private:
  class holding;

  // Online tuning, in online.cpp.
  bool admit(const given_call& given, event& later) noexcept;
  bool may_begin(team_state& state, const given_call& given) noexcept;
  bool ask_search(team& team, tuned_call& kind) noexcept;
  tuned_call* new_kind(team_state& state, const given_call& given) noexcept;
  void begin_agreement(team& team, tuned_call& kind) noexcept;
  void end_agreement(active_call& op) noexcept;
  void begin_postponed() noexcept;
  void begin_postponed(const postponed_call& next) noexcept;
  const decision& decide_by_search(const call& call, tuned_call& kind) noexcept;
  const decision& ask_decision(const call& call, tuned_call& kind) noexcept;
  static decision decision_for(const call& call, const choice& made) noexcept;
  static const decision& decision_of_agreements() noexcept;

  operation* new_record() noexcept;
  operation_status run_once(team& team, const arguments& request, const choice& options,
                            tuned_call*& timed) noexcept;
  bool begin(active_call& op, team& team, const arguments& request, const choice& options,
             const decision* kept) noexcept;
  void check_host_memory(const team& team, const arguments& request) const noexcept;
  const algorithm& prepare(active_call& op, team_state& state, const given_call& given,
                           const decision* kept) noexcept;
  const decision& decide(const active_call& op, const choice& options) noexcept;
  bool start_directly(active_call& op, const shared_form& form) noexcept;
  bool begin_directly(active_call& op, const shared_form& form, void* room) noexcept;
  operation_status wait_directly(active_call& op, const shared_form& form, void* room) noexcept;
  void list(active_call& op) noexcept;
  void unlist(active_call& op) noexcept;
  void drop(active_call& op) noexcept;
  void tell_end(active_call& op, operation_status status) noexcept;
  event lost_event() noexcept;
  bool abandon_lost() noexcept;
  void abandon(active_call& op) noexcept;
  void tell_lost(active_call& op) noexcept;
  bool end_abandoned() noexcept;
  void fill(active_call& op, team& team, team_state& state, const arguments& request) noexcept;
  void begin_fence(team& team, team_state& state) noexcept;
  bool launch(active_call& op, const algorithm& use) noexcept;
  bool step(active_call& op) noexcept;
  bool go_on(active_call& op) noexcept;
  void end(active_call& op) noexcept;
  bool advance_all() noexcept;
  bool advance_ready() noexcept;
  bool advance_polled() noexcept;
  active_call& take() noexcept;
  team_state& state_of(const team& team) noexcept;  // inline in engine.cpp
  team_state& find_state(const team& team) noexcept;

  static constexpr std::uint32_t window_calls = 64;
  static constexpr unsigned checks_max = 400;
  static constexpr std::uint32_t polls_every = 8;

  runtime& owner_;
  mailbox mail_;
  std::atomic<std::uint32_t> active_count_ = 0;
  std::atomic<active_call*> ready_ = nullptr;
  std::atomic<std::uint32_t> waits_ = 0;  // on oversubscribed cores, by all threads
  std::atomic<bool> passed_by_ = false;   // a thread came to advance and found the lock taken

  std::mutex guard_;  // of what follows, and of running tasks
  block_pool blocks_;
  std::unique_ptr<selection> selection_;
  std::optional<error> refusal_;
  const bool tunes_;              // ATOLL_TUNE=online
  bool agreement_ended_ = false;  // postponed calls may begin
  std::uint64_t agreements_ = 0;
  std::vector<active_call*> polled_;
  std::vector<active_call*> lost_;    // abandoned, whose gets are still under way
  active_call* under_way_ = nullptr;  // all that progress knows
  std::size_t losses_seen_ = 0;       // lost ranks that were looked at
  std::unordered_map<std::uint64_t, std::unique_ptr<team_state>> teams_;
  std::uint64_t last_team_ = ~std::uint64_t{0};
  team_state* last_state_ = nullptr;
};

}  // namespace atl::coll
