// SPDX-License-Identifier: BSD-3-Clause
//
// Starting, advancing, ending. The lock is held while tasks run; they never wait. A thread that
// comes to advance and finds it taken leaves word (`passed_by_`) and goes, perhaps to sleep; the
// one that holds it then wakes it, so that nothing which came meanwhile is left lying.
#include <atoll/coll/engine.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/coll/selection.hpp>
#include <atoll/coll/shared_lanes.hpp>
#include <atoll/coll/symmetric_heap.hpp>
#include <atoll/core/runtime.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

namespace atl::coll {

namespace {

bool has_lanes(const team_state& state) noexcept {
  if (!state.shared) return false;
  const auto& lanes = static_cast<const shared_lanes&>(*state.shared);
  return lanes.settled() && !lanes.refused();
}

}  // namespace

// Holds the lock, and wakes who passed by.
class engine::holding {
 public:
  explicit holding(engine& of) noexcept : of_(of) { of_.guard_.lock(); }
  holding(const holding&) = delete;
  holding& operator=(const holding&) = delete;
  ~holding() {
    of_.guard_.unlock();
    if (!of_.owner_.threaded()) return;
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the one in advance()
    if (of_.passed_by_.load(std::memory_order_relaxed)) of_.owner_.wake_own_threads();
  }

 private:
  engine& of_;
};

engine::engine(runtime& owner)
    : owner_(owner), mail_(owner), selection_(std::make_unique<selection>(owner.configuration())) {}

engine::~engine() = default;

// --- starting ----------------------------------------------------------------------------------

event engine::start(team& on, const arguments& what, const choice& how) noexcept {
  if (what.bytes == 0) return {};
  if (on.size() == 1) {
    copy_alone(what);
    return {};
  }
  const holding lock(*this);
  active& op = take();
  op.with_fences = how;
  const algorithm& use = prepare(op, on, what, how);
  const bool directly = use.form != nullptr && !how.fenced() && has_lanes(*op.call.state);
  if (directly ? start_directly(op, *use.form) : launch(op, use)) return {};
  op.record = owner_.operations().take();
  ATOLL_ASSERT(op.record != nullptr, "out of memory for an operation record");
  op.record->add_piece();
  return event(op.record);
}

void engine::run(team& on, const arguments& what, const choice& how) noexcept {
  if (what.bytes == 0) return;
  if (on.size() == 1) return copy_alone(what);
  if (how.fenced()) {
    event done = start(on, what, how);
    return owner_.wait(done);
  }
  active op;
  op.on_stack = true;
  bool ended = false;
  const shared_form* form = nullptr;
  alignas(cache_line) std::byte room[shared_form::bytes_max];
  {
    const holding lock(*this);
    const algorithm& use = prepare(op, on, what, how);
    if (has_lanes(*op.call.state)) form = use.form;
    if (form != nullptr) {
      ended = begin_directly(op, *form, room);
    } else {
      op.run.patience = owner_.crowded() ? 0 : patience;
      ended = launch(op, use);
      op.run.patience = 0;  // from here on other tasks may want to run
    }
  }
  if (ended) return;
  if (form != nullptr) return wait_directly(op, *form, room);
  owner_.wait_until([&] { return op.ended.load(std::memory_order_acquire); });
}

// Without a task: what is asked for moves it, and when that is true it has ended.
bool engine::start_directly(active& op, const shared_form& form) noexcept {
  op.form = &form;
  op.form_room = blocks_.take(shared_form::bytes_max);
  form.make(op.form_room, op.call, static_cast<shared_lanes&>(*op.call.state->shared));
  op.call.state->under_way.fetch_add(1, std::memory_order_relaxed);
  if (form.advance(op.form_room)) {
    end(op);
    return true;
  }
  op.run.ready = [](void* self) {
    active& held = *static_cast<active*>(self);
    return held.form->advance(held.form_room);
  };
  op.run.ready_context = &op;
  polled_.push_back(&op);
  active_count_.fetch_add(1, std::memory_order_relaxed);
  owner_.attachments().activate(*this);
  return false;
}

// Without a task, and unknown to progress: the calling thread alone moves it.
bool engine::begin_directly(active& op, const shared_form& form, void* room) noexcept {
  form.make(room, op.call, static_cast<shared_lanes&>(*op.call.state->shared));
  bool ended = form.advance(room);
  if (!owner_.crowded()) {
    for (unsigned asked = 0; !ended && asked < patience; ++asked) ended = form.advance(room);
  }
  if (ended) op.call.state->end_turns(op);
  return ended;
}

void engine::wait_directly(active& op, const shared_form& form, void* room) noexcept {
  const auto ready = [&] {
    const holding lock(*this);
    if (!form.advance(room)) return false;
    op.call.state->end_turns(op);
    return true;
  };
  // Relaxed: a count for a rough purpose.
  if (owner_.crowded() && waits_.fetch_add(1, std::memory_order_relaxed) % polls_every != 0) {
    // Most often all it takes is that the others get the core; now and then, look for messages.
    waiter steps = owner_.new_wait();
    if (steps.stay_awake() && ready()) return;
  }
  owner_.wait_while([this] { return owner_.progress(); }, ready, owner_.bell_sleep_ns());
}

const algorithm& engine::prepare(active& op, team& on, const arguments& what,
                                 const choice& how) noexcept {
  team_state& state = state_of(on);
  fill(op, on, state, what);
  const decision& decided = decide(op.call, how);
  const algorithm& use = *decided.made.use;
  op.call.radix = decided.made.radix;
  if (use.messages || how.fenced()) {
    const std::uint64_t number = state.messaging++;
    op.gate = number / window_calls;
    if (number % window_calls == window_calls / 2) begin_fence(on, state);
  }
  op.call.sequence = ++state.sequence;
  if (use.turns != 0) {
    op.call.phase_turns = decided.phase_turns;
    state.begin_turns(op);
    state.turns += std::uint64_t{use.turns} * op.call.phase_turns;
  }
  return use;
}

// A decision hangs on the arguments that are compared here, and on the team.
const decision& engine::decide(const call& at, const choice& how) noexcept {
  decision& last = at.state->decided[static_cast<std::size_t>(at.what)];
  if (how.use == nullptr && last.bytes == at.bytes &&
      last.element_bytes == at.combine.element_bytes &&
      last.commutative == at.combine.commutative) {
    return last;
  }
  last = {.bytes = how.use == nullptr ? at.bytes : 0,
          .element_bytes = at.combine.element_bytes,
          .commutative = at.combine.commutative,
          .made = selection_->decide(at, how)};
  if (last.made.use->turns != 0) last.phase_turns = turns_of(at);
  return last;
}

void team_state::begin_turns(active& op) noexcept {
  op.has_turns = true;
  op.call.turn = op.turn = turns;
  op.older = newest;
  (newest == nullptr ? oldest : newest->newer) = &op;
  newest = &op;
}

void team_state::end_turns(active& op) noexcept {
  const bool was_oldest = &op == oldest;
  (op.older == nullptr ? oldest : op.older->newer) = op.newer;
  (op.newer == nullptr ? newest : op.newer->older) = op.older;
  if (was_oldest && shared) shared->turns_done(turns_over());
}

void engine::fill(active& op, team& on, team_state& state, const arguments& what) noexcept {
  op.by = this;
  static_cast<arguments&>(op.call) = what;
  op.call.rank = on.rank();
  op.call.size = on.size();
  op.call.by = this;
  op.call.op = &op;
  op.call.on = &on;
  op.call.state = &state;
  op.call.one_host = on.hosts().one_host();
  op.call.segment = owner_.medium_max();
  op.call.ground = {.frames = &blocks_, .run = &op.run};
}

// A fence of the engine's own: complete when all members have come this far.
void engine::begin_fence(team& on, team_state& state) noexcept {
  active& op = take();
  fill(op, on, state, {.what = collective::fence});
  op.gate = state.messaging / window_calls;
  op.call.sequence = ++state.sequence;
  const algorithm* const use = find_algorithm(collective::fence, "dissemination");
  op.call.radix = use->radix;
  launch(op, *use);
}

/// True when it has ended already.
bool engine::launch(active& op, const algorithm& use) noexcept {
  op.call.state->under_way.fetch_add(1, std::memory_order_relaxed);
  op.with_fences.use = &use;
  op.root = op.with_fences.fenced() ? run_fenced(op.call) : use.run(op.call);
  op.run.leaf = op.root.start();
  if (op.call.state->fences_ended >= op.gate) {
    if (step(op)) {
      end(op);
      return true;
    }
  } else {
    op.run.ready = [](void* self) {
      const active& held = *static_cast<active*>(self);
      return held.call.state->fences_ended >= held.gate;
    };
    op.run.ready_context = &op;
  }
  if (op.run.ready != nullptr) polled_.push_back(&op);
  active_count_.fetch_add(1, std::memory_order_relaxed);
  owner_.attachments().activate(*this);
  return false;
}

active& engine::take() noexcept { return *new (blocks_.take(sizeof(active))) active; }

team_state& engine::state_of(const team& on) noexcept {
  if (last_team_ == on.id()) return *last_state_;
  std::unique_ptr<team_state>& found = teams_[on.id()];
  if (!found) found = std::make_unique<team_state>();
  last_team_ = on.id();
  last_state_ = found.get();
  return *found;
}

void engine::forget(const team& gone) noexcept {
  team_state* state = nullptr;
  {
    const holding lock(*this);
    const auto found = teams_.find(gone.id());
    if (found == teams_.end()) return;
    state = found->second.get();
  }
  owner_.wait_until([&] { return state->under_way.load(std::memory_order_acquire) == 0; });
  const holding lock(*this);
  if (last_team_ == gone.id()) last_team_ = ~std::uint64_t{0};
  teams_.erase(gone.id());
}

void engine::assume_messaging_calls(const team& on, std::uint64_t calls) noexcept {
  const holding lock(*this);
  team_state& state = state_of(on);
  calls = calls / window_calls * window_calls;
  state.messaging = calls;
  state.fences_ended = calls / window_calls;
}

const std::string& engine::forced() const noexcept { return selection_->text(); }

std::uint64_t engine::allocations() noexcept {
  const holding lock(*this);
  return blocks_.allocations() + mail_.allocations();
}

// --- advancing ---------------------------------------------------------------------------------

void engine::make_ready(active& op) noexcept {
  op.next = ready_.load(std::memory_order_relaxed);
  // Release: pairs with the acquire in advance_ready(); what the messages wrote is visible there.
  while (!ready_.compare_exchange_weak(op.next, &op, std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
}

/// Runs the task until it waits; true when it has come to its end.
bool engine::step(active& op) noexcept {
  execution& run = op.run;
  do {
    run.waits = false;
    run.ready = nullptr;
    run.leaf.resume();
  } while (!run.waits && !op.root.done());
  return !run.waits;
}

void engine::end(active& op) noexcept {
  op.root.destroy();
  block_pool::give_back(op.form_room);
  if (op.call.what == collective::fence) ++op.call.state->fences_ended;
  if (op.has_turns) op.call.state->end_turns(op);
  // Release: pairs with forget(); the operation has left the team's state.
  op.call.state->under_way.fetch_sub(1, std::memory_order_release);
  if (op.on_stack) {
    op.ended.store(true, std::memory_order_release);  // the waiter's from here on
    return;
  }
  if (op.record != nullptr) op.record->end_piece();
  op.~active();
  block_pool::give_back(&op);
}

/// One that was under way goes on; true when it has ended.
bool engine::go_on(active& op) noexcept {
  if (op.form == nullptr && !step(op)) return false;
  end(op);
  // Release: pairs with busy(); what the last one did is over when that is false.
  active_count_.fetch_sub(1, std::memory_order_release);
  return true;
}

bool engine::advance() noexcept {
  if (!guard_.try_lock()) {
    passed_by_.store(true, std::memory_order_relaxed);
    // Pairs with those at the end: either the other thread sees the word, or the lock is free.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!guard_.try_lock()) return false;
  }
  passed_by_.store(false, std::memory_order_relaxed);
  const bool ended = advance_all();
  guard_.unlock();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return ended || passed_by_.load(std::memory_order_relaxed);
}

bool engine::advance_all() noexcept {
  if (mail_.has_work()) mail_.flush();
  bool ended = advance_ready();
  if (!polled_.empty() && advance_polled()) ended = true;
  return ended;
}

bool engine::advance_ready() noexcept {
  if (ready_.load(std::memory_order_relaxed) == nullptr) return false;
  bool ended = false;
  // Acquire: pairs with make_ready().
  active* one = ready_.exchange(nullptr, std::memory_order_acquire);
  active* oldest = nullptr;
  while (one != nullptr) {  // it came newest first
    active* const next = one->next;
    one->next = oldest;
    oldest = one;
    one = next;
  }
  while (oldest != nullptr) {
    active& op = *oldest;
    oldest = op.next;
    if (go_on(op)) {
      ended = true;
    } else if (op.run.ready != nullptr) {
      polled_.push_back(&op);
    }
  }
  return ended;
}

bool engine::advance_polled() noexcept {
  bool ended = false;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < polled_.size(); ++i) {  // those that wait for a condition, in order
    active& op = *polled_[i];
    if (op.run.ready(op.run.ready_context)) {
      if (go_on(op)) {
        ended = true;
        continue;
      }
      if (op.run.ready == nullptr) continue;  // now waits for messages
    }
    polled_[kept++] = &op;
  }
  polled_.resize(kept);
  return ended;
}

engine& open(runtime& owner) {
  if (engine* const there = owner.attached<engine>()) [[likely]]
    return *there;
  engine& made = owner.attach(std::make_unique<engine>(owner));
  owner.attach(std::make_unique<symmetric_heap>(owner));
  // The handlers of all ranks are registered when this exchange is over.
  const std::string& mine = made.forced();
  const auto all = owner.exchange(std::as_bytes(std::span(mine)));
  for (rank_id rank = 0; rank < owner.size(); ++rank) {
    const auto& theirs = all.at(rank);
    if (std::ranges::equal(theirs, std::as_bytes(std::span(mine)))) continue;
    throw error(text("collectives of rank ", owner.rank(), " of ", owner.size()),
                text("rank ", rank, " forces other algorithms"),
                "set ATOLL_COLL_* alike on all ranks");
  }
  return made;
}

}  // namespace atl::coll
