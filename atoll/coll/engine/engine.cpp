// SPDX-License-Identifier: BSD-3-Clause
//
// Starting, advancing, ending. The lock is held while tasks run; they never wait. A thread that
// comes to advance and finds it taken sets `passed_by_` and goes, perhaps to sleep; the holder
// then wakes it, so that nothing that came meanwhile is missed.
#include <atoll/coll/engine/engine.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/engine/selection.hpp>
#include <atoll/coll/engine/table.hpp>
#include <atoll/coll/hierarchical/stripes.hpp>
#include <atoll/coll/shared/lanes.hpp>
#include <atoll/coll/symmetric_heap.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/latest_refusal.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/memory/device/device_list.hpp>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

namespace atl::coll {

namespace {

// Whether a decision holds for one more call. One that a search has made holds for as many calls as
// the search has granted.
inline bool holds(const decision& kept) noexcept {
  if (kept.searched == nullptr) return true;
  if (kept.searched->repeats == 0) return false;
  --kept.searched->repeats;
  return true;
}

bool has_lanes(const team_state& state) noexcept {
  if (!state.shared) return false;
  const auto& lanes = static_cast<const shared_lanes&>(*state.shared);
  return lanes.settled() && !lanes.refused();
}

}  // namespace

// Holds the lock, and at its end wakes threads that found it taken.
class engine::holding {
 public:
  explicit holding(engine& locked) noexcept : locked_(locked) { locked_.guard_.lock(); }
  holding(const holding&) = delete;
  holding& operator=(const holding&) = delete;
  ~holding() {
    locked_.guard_.unlock();
    if (!locked_.owner_.threaded()) return;
    std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the one in advance()
    if (locked_.passed_by_.load(std::memory_order_relaxed))
      layer_access::wake_own_threads(locked_.owner_);
  }

 private:
  engine& locked_;
};

engine::engine(runtime& owner)
    : owner_(owner),
      mail_(owner, *this),
      selection_(std::make_unique<selection>(owner.configuration())),
      tunes_(selection_->tunes_online()) {}

// Rank 0 alone holds what the searches have found (`selection::settled`).
engine::~engine() {
  if (owner_.rank() == 0) selection_->save_online();
}

// --- starting ----------------------------------------------------------------------------------

inline team_state& engine::state_of(const team& team) noexcept {
  return last_team_ == team.id() ? *last_state_ : find_state(team);
}

// A buffer that is not used at this member may be anything.
void engine::check_host_memory(const team& team, const arguments& request) const noexcept {
  const bool is_root = team.rank() == request.root;
  const bool reads =
      is_root || (request.kind != collective::broadcast && request.kind != collective::scatter);
  const bool writes =
      is_root || (request.kind != collective::reduce && request.kind != collective::gather);
  const auto check = [&](const char* name, const void* buffer) {
    const memory::device* const device = layer_access::devices(owner_).device_at(buffer);
    if (device == nullptr) return;
    owner_.fail(
        text(name_of(request.kind), " of ", bytes_text(request.bytes), " by rank ", owner_.rank()),
        text("its ", name, " ", hex(buffer), " is memory of ",
             memory::text_of(device->description()), ", where the processor touches nothing"),
        "copy the data to host memory first; the core has collectives of such memory "
        "(atoll/coll/device/device_collectives.hpp)");
  };
  if (reads) check("source", request.from);
  if (writes) check("target", request.to);
}

// The decision about the call before it, if this one is like it; null: a new one must be made.
inline const decision* team_state::kept_decision(const given_call& given) const noexcept {
  const decision& last = decided[static_cast<std::size_t>(given.request.kind)];
  const bool is_kept = given.options.use == nullptr &&
                       last.fits(given.request, given.blocking, given.options.fenced()) &&
                       holds(last);
  return is_kept ? &last : nullptr;
}

event engine::start(team& team, const arguments& request, const choice& options) noexcept {
  if (request.bytes == 0) return {};
  if (layer_access::devices(owner_).has_parts()) [[unlikely]]
    check_host_memory(team, request);
  if (team.size() == 1) {
    copy_alone(request);
    return {};
  }
  const holding lock(*this);
  if (team.has_lost_member()) return lost_event();  // under the lock: abandon_lost() sees the rest
  event later;
  const given_call given{team, request, options, false};
  const decision* const kept = state_of(team).kept_decision(given);
  if (kept == nullptr && tunes_ && !admit(given, later)) return later;
  active_call& op = take();
  if (begin(op, team, request, options, kept)) return {};
  op.record = new_record();
  return event(op.record);
}

operation* engine::new_record() noexcept {
  operation* const record = layer_access::operations(owner_).take();
  ATOLL_ASSERT(record != nullptr, "out of memory for an operation record");
  record->add_piece();
  return record;
}

// Begins an operation that progress moves on; true when it has ended already.
bool engine::begin(active_call& op, team& team, const arguments& request, const choice& options,
                   const decision* kept) noexcept {
  op.with_fences = options;
  const given_call given{team, request, options, op.call.blocking};
  const algorithm& use = prepare(op, state_of(team), given, kept);
  const bool directly = use.form != nullptr && !options.fenced() && has_lanes(*op.call.state);
  return directly ? start_directly(op, *use.form) : launch(op, use);
}

operation_status engine::run(team& team, const arguments& request, const choice& options) noexcept {
  if (request.bytes == 0) return operation_status::done;
  if (layer_access::devices(owner_).has_parts()) [[unlikely]]
    check_host_memory(team, request);
  if (team.size() == 1) {
    copy_alone(request);
    return operation_status::done;
  }
  if (options.fenced()) {
    event done = start(team, request, options);
    return owner_.wait(done);
  }
  tuned_call* timed = nullptr;
  const operation_status status = run_once(team, request, options, timed);
  if (timed != nullptr) [[unlikely]] {
    const holding lock(*this);
    timed->ends();
  }
  return status;
}

// `timed` becomes the kind of call whose search wants to know how long this one takes.
operation_status engine::run_once(team& team, const arguments& request, const choice& options,
                                  tuned_call*& timed) noexcept {
  active_call* op = nullptr;
  engine_waiter waiter;
  const shared_form* form = nullptr;
  event later;
  alignas(cache_line) std::byte room[shared_form::bytes_max];
  {
    const holding lock(*this);
    if (team.has_lost_member()) return operation_status::peer_lost;
    const given_call given{team, request, options, true};
    team_state& state = state_of(team);
    const decision* const kept = state.kept_decision(given);
    if (kept != nullptr || !tunes_ || admit(given, later)) {
      op = &take();
      op->waiter = &waiter;
      op->call.blocking = true;
      const algorithm& use = prepare(*op, state, given, kept);
      if (has_lanes(state)) form = use.form;
      if (kept == nullptr && state.asks_search) timed = state.kind;
      if (timed != nullptr) timed->begins();
      op->run.checks_max = owner_.is_oversubscribed() ? 0 : checks_max;
      const bool ended = form != nullptr ? begin_directly(*op, *form, room) : launch(*op, use);
      if (ended) return waiter.status;
      op->run.checks_max = 0;  // from here on other tasks may want to run
    }
  }
  if (op == nullptr) return owner_.wait(later);
  if (form != nullptr) return wait_directly(*op, *form, room);
  owner_.wait_until([&] { return waiter.ended.load(std::memory_order_acquire); });
  return waiter.status;
}

// The event of an operation of a team that has lost a member.
event engine::lost_event() noexcept {
  operation* const record = new_record();
  record->end_piece(operation_status::peer_lost);
  return event(record);
}

// Starts an operation without a task: progress advances its form, and it has ended when that
// returns true.
bool engine::start_directly(active_call& op, const shared_form& form) noexcept {
  op.form = &form;
  op.form_room = blocks_.take(shared_form::bytes_max);
  form.make(op.form_room, op.call, static_cast<shared_lanes&>(*op.call.state->shared));
  op.call.state->under_way.fetch_add(1, std::memory_order_relaxed);
  if (form.advance(op.form_room)) {
    end(op);
    return true;
  }
  op.run.ready = [](void* self) {
    active_call& held = *static_cast<active_call*>(self);
    return held.form->advance(held.form_room);
  };
  op.run.ready_context = &op;
  polled_.push_back(&op);
  list(op);
  return false;
}

// Begins an operation without a task, which progress does not know: the calling thread alone
// advances it.
bool engine::begin_directly(active_call& op, const shared_form& form, void* room) noexcept {
  form.make(room, op.call, static_cast<shared_lanes&>(*op.call.state->shared));
  bool ended = form.advance(room);
  if (!owner_.is_oversubscribed()) {
    for (unsigned asked = 0; !ended && asked < checks_max; ++asked) ended = form.advance(room);
  }
  if (ended) drop(op);
  return ended;
}

operation_status engine::wait_directly(active_call& op, const shared_form& form,
                                       void* room) noexcept {
  bool is_lost = false;
  const auto ready = [&] {
    const holding lock(*this);
    if (!form.advance(room)) {
      is_lost = op.call.whole_team->has_lost_member();
      if (!is_lost) return false;
    }
    drop(op);
    return true;
  };
  const auto status = [&] {
    return is_lost ? operation_status::peer_lost : operation_status::done;
  };
  // Relaxed: the count need not be exact.
  if (owner_.is_oversubscribed() &&
      waits_.fetch_add(1, std::memory_order_relaxed) % polls_every != 0) {
    // Usually it is enough to give the core to the others; now and then, look for messages.
    waiter steps = owner_.new_wait();
    if (steps.stay_awake() && ready()) return status();
  }
  owner_.wait_while([this] { return owner_.progress(); }, ready,
                    layer_access::bell_sleep_ns(owner_));
  return status();
}

// Whether the call may begin. False: it is postponed, and `later` is its event.
bool engine::admit(const given_call& given, event& later) noexcept {
  team_state& state = state_of(given.group);
  if (state.postponed.empty() && may_begin(state, given)) return true;
  later = event(new_record());
  state.decided = {};  // those that follow must ask, too
  state.postponed.push_back(
      {&given.group, given.request, given.options, given.blocking, later.record()});
  return false;
}

const algorithm& engine::prepare(active_call& op, team_state& state, const given_call& given,
                                 const decision* kept) noexcept {
  const choice& options = given.options;
  fill(op, given.group, state, given.request);
  if (kept == nullptr && !std::exchange(state.has_barrier_radix, true)) [[unlikely]]
    selection_->set_barrier_radix(given.group);
  const decision& decided = kept != nullptr ? *kept : decide(op, options);
  const algorithm& use = *decided.made.use;
  op.call.radix = decided.made.radix;
  op.call.depth = decided.made.depth;
  op.call.leaders = decided.leaders;
  op.call.gets = decided.made.mover == moved_by::get;
  const std::size_t chosen_bytes = decided.made.piece_bytes;
  op.call.piece_bytes = chosen_bytes != 0 ? chosen_bytes : usual_piece_bytes(use, op.call);
  if (decided.made.eager_bytes != 0) op.call.eager_bytes = decided.made.eager_bytes;
  // A whole piece waits until its receiver is ready.
  op.call.eager_bytes = std::min(op.call.eager_bytes, op.call.piece_bytes - 1);
  if (use.messages || options.fenced()) {
    const std::uint64_t number = state.messaging++;
    op.fences_needed = number / window_calls;
    if (number % window_calls == window_calls / 2) begin_fence(given.group, state);
  }
  op.call.sequence = ++state.sequence;
  if (use.turns != 0) {
    op.call.phase_turns = decided.phase_turns;
    state.begin_turns(op);
    op.call.turns_end = state.turns += decided.turns;
  }
  return use;
}

// The decision is kept for calls like this one, unless the caller asks for an algorithm. With
// online tuning it is not kept either where a call like this one must not use it: that call may
// have to ask its search, or wait behind others.
const decision& engine::decide(const active_call& op, const choice& options) noexcept {
  const call& call = op.call;
  if (tunes_) {
    if (op.agreement != nullptr) return decision_of_agreements();
    if (call.state->kind != nullptr) return decide_by_search(call, *call.state->kind);
  }
  decision& last = call.state->decided[static_cast<std::size_t>(call.kind)];
  last = decision_for(call, selection_->decide(call, options));
  last.strict = options.fenced();
  const bool others_ask = tunes_ && !call.state->postponed.empty();
  if (options.use != nullptr || others_ask) last.bytes = 0;
  return last;
}

decision engine::decision_for(const call& call, const choice& made) noexcept {
  const rank_id leaders = leaders_of(call, made.leaders);
  const stripe_turns turns =
      made.use->turns != 0 ? turns_in_stripes(call, made.use->turns, leaders) : stripe_turns{};
  return {.bytes = call.bytes,
          .element_bytes = call.combine.element_bytes,
          .commutative = call.combine.commutative,
          .blocking = call.blocking,
          .made = made,
          .leaders = leaders,
          .phase_turns = turns.of_phase,
          .turns = turns.total};
}

void team_state::begin_turns(active_call& op) noexcept {
  op.has_turns = true;
  op.call.turn = op.turn = turns;
  op.older = newest;
  (newest == nullptr ? oldest : newest->newer) = &op;
  newest = &op;
}

void team_state::end_turns(active_call& op) noexcept {
  const bool was_oldest = &op == oldest;
  (op.older == nullptr ? oldest : op.older->newer) = op.newer;
  (op.newer == nullptr ? newest : op.newer->older) = op.older;
  if (was_oldest && shared) shared->turns_done(turns_over());
}

void engine::fill(active_call& op, team& team, team_state& state,
                  const arguments& request) noexcept {
  op.owner = this;
  static_cast<arguments&>(op.call) = request;
  op.call.rank = team.rank();
  op.call.size = team.size();
  op.call.owner = this;
  op.call.op = &op;
  op.call.whole_team = &team;
  op.call.state = &state;
  op.call.one_host = team.hosts().one_host();
  op.call.eager_bytes = usual_eager_bytes(op.call);
  op.call.context = {.frames = &blocks_, .run = &op.run};
}

// A fence of the engine's own: complete when all members have come this far.
void engine::begin_fence(team& team, team_state& state) noexcept {
  active_call& op = take();
  fill(op, team, state, {.kind = collective::fence});
  op.fences_needed = state.messaging / window_calls;
  op.call.sequence = ++state.sequence;
  const algorithm* const use = find_algorithm(collective::fence, "dissemination");
  op.call.radix = use->radix;
  launch(op, *use);
}

/// Starts the task of an operation; true when it has ended already.
bool engine::launch(active_call& op, const algorithm& use) noexcept {
  op.call.state->under_way.fetch_add(1, std::memory_order_relaxed);
  op.with_fences.use = &use;
  op.root = op.with_fences.fenced() ? run_fenced(op.call) : coll::start(use, op.call);
  op.run.leaf = op.root.start();
  if (op.call.state->fences_ended >= op.fences_needed) {
    if (step(op)) {
      end(op);
      return true;
    }
  } else {
    op.run.ready = [](void* self) {
      const active_call& held = *static_cast<active_call*>(self);
      return held.call.state->fences_ended >= held.fences_needed;
    };
    op.run.ready_context = &op;
  }
  if (op.run.ready != nullptr) polled_.push_back(&op);
  list(op);
  return false;
}

// From here on progress knows the operation, until it ends.
void engine::list(active_call& op) noexcept {
  op.after = under_way_;
  if (under_way_ != nullptr) under_way_->before = &op;
  under_way_ = &op;
  active_count_.fetch_add(1, std::memory_order_relaxed);
  layer_access::attachments(owner_).activate(*this);
}

void engine::unlist(active_call& op) noexcept {
  (op.before == nullptr ? under_way_ : op.before->after) = op.after;
  if (op.after != nullptr) op.after->before = op.before;
}

active_call& engine::take() noexcept {
  return *new (blocks_.take(sizeof(active_call))) active_call;
}

team_state& engine::find_state(const team& team) noexcept {
  std::unique_ptr<team_state>& found = teams_[team.id()];
  if (!found) found = std::make_unique<team_state>();
  last_team_ = team.id();
  last_state_ = found.get();
  return *found;
}

void engine::forget(const team& gone) noexcept {
  team_state* state = nullptr;
  {
    const holding lock(*this);
    const auto found = teams_.find(gone.id());
    if (found != teams_.end()) state = found->second.get();
  }
  if (state != nullptr) {
    // Acquire: pairs with the releases of operations that end.
    owner_.wait_until([&] { return state->under_way.load(std::memory_order_acquire) == 0; });
    const holding lock(*this);
    if (last_team_ == gone.id()) last_team_ = ~std::uint64_t{0};
    teams_.erase(gone.id());
  }
  mail_.forget(gone.id(), gone.has_lost_member());
}

std::uint64_t engine::turns_reserved(const team& team) noexcept {
  const std::lock_guard hold(guard_);
  return find_state(team).turns;
}

void engine::assume_messaging_calls(const team& team, std::uint64_t calls) noexcept {
  const holding lock(*this);
  team_state& state = state_of(team);
  calls = calls / window_calls * window_calls;
  state.messaging = calls;
  state.fences_ended = calls / window_calls;
}

std::uint64_t engine::allocations() noexcept {
  const holding lock(*this);
  return blocks_.allocations() + mail_.allocations();
}

// --- advancing ---------------------------------------------------------------------------------

void engine::make_ready(active_call& op) noexcept {
  op.next = ready_.load(std::memory_order_relaxed);
  // Release: pairs with the acquire in advance_ready(); what the messages wrote is visible there.
  while (!ready_.compare_exchange_weak(op.next, &op, std::memory_order_release,
                                       std::memory_order_relaxed)) {
  }
}

/// Runs the task until it waits; true when it has ended.
bool engine::step(active_call& op) noexcept {
  execution& run = op.run;
  do {
    run.waits = false;
    run.ready = nullptr;
    run.leaf.resume();
  } while (!run.waits && !op.root.done());
  return !run.waits;
}

void engine::end(active_call& op) noexcept {
  op.root.destroy();
  block_pool::give_back(op.form_room);
  if (op.call.kind == collective::fence) ++op.call.state->fences_ended;
  if (op.agreement != nullptr) end_agreement(op);
  // Release: pairs with forget(); the operation has left the team's state.
  std::atomic<std::uint32_t>& under_way = op.call.state->under_way;
  tell_end(op, operation_status::done);
  drop(op);
  under_way.fetch_sub(1, std::memory_order_release);
}

// Frees the operation and what it has reserved.
void engine::drop(active_call& op) noexcept {
  if (op.has_turns) op.call.state->end_turns(op);
  op.~active_call();
  block_pool::give_back(&op);
}

// The waiter may return as soon as it has been told.
void engine::tell_end(active_call& op, operation_status status) noexcept {
  if (op.waiter != nullptr) {
    op.waiter->status = status;
    op.waiter->ended.store(true, std::memory_order_release);
  }
  if (op.record != nullptr) op.record->end_piece(status);
  op.waiter = nullptr;
  op.record = nullptr;
}

// Ends the operations of teams that have lost a member; true when there were any.
bool engine::abandon_lost() noexcept {
  losses_seen_ = layer_access::losses(owner_).count();
  bool ended = false;
  for (active_call* op = under_way_; op != nullptr;) {
    active_call& each = *op;
    op = each.after;
    if (!each.call.whole_team->has_lost_member()) continue;
    abandon(each);
    ended = true;
  }
  mail_.end_loans_to_lost();
  return ended;
}

void engine::abandon(active_call& op) noexcept {
  op.abandoned = true;
  agreement_ended_ = tunes_;  // postponed calls of its team end with it
  std::erase(polled_, &op);
  unlist(op);
  mail_.abandon(op.call.whole_team->id());
  if (!mail_.gets_for(op)) return tell_lost(op);
  lost_.push_back(&op);
}

// No get of this rank writes to the memory of the operation any more; others may (engine.hpp).
void engine::tell_lost(active_call& op) noexcept {
  std::atomic<std::uint32_t>& under_way = op.call.state->under_way;
  tell_end(op, operation_status::peer_lost);
  active_count_.fetch_sub(1, std::memory_order_release);  // pairs with busy()
  under_way.fetch_sub(1, std::memory_order_release);      // pairs with forget()
}

// Ends abandoned operations whose gets have ended; true when there were any.
bool engine::end_abandoned() noexcept {
  return std::erase_if(lost_, [this](active_call* op) {
           if (mail_.gets_for(*op)) return false;
           tell_lost(*op);
           return true;
         }) != 0;
}

/// Continues an operation that was under way; true when it has ended.
bool engine::go_on(active_call& op) noexcept {
  if (op.form == nullptr && !step(op)) return false;
  unlist(op);
  end(op);
  // Release: pairs with busy(); when that is false, what the last operation did is visible.
  active_count_.fetch_sub(1, std::memory_order_release);
  return true;
}

bool engine::advance() noexcept {
  if (!guard_.try_lock()) {
    passed_by_.store(true, std::memory_order_relaxed);
    // Pairs with the fences after unlock(): the holder sees `passed_by_`, or the lock is free.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!guard_.try_lock()) return false;
  }
  passed_by_.store(false, std::memory_order_relaxed);
  const bool ended = advance_all();
  guard_.unlock();
  std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with the one above
  return ended || passed_by_.load(std::memory_order_relaxed);
}

bool engine::advance_all() noexcept {
  bool ended = losses_seen_ != layer_access::losses(owner_).count() && abandon_lost();
  if (mail_.has_work()) mail_.flush();
  if (!lost_.empty() && end_abandoned()) [[unlikely]]
    ended = true;
  if (advance_ready()) ended = true;
  if (!polled_.empty() && advance_polled()) ended = true;
  if (agreement_ended_) [[unlikely]] {
    begin_postponed();
    ended = true;
  }
  return ended;
}

bool engine::advance_ready() noexcept {
  if (ready_.load(std::memory_order_relaxed) == nullptr) return false;
  bool ended = false;
  // Acquire: pairs with make_ready().
  active_call* newest = ready_.exchange(nullptr, std::memory_order_acquire);
  active_call* oldest = nullptr;
  while (newest != nullptr) {  // it came newest first
    active_call* const next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  while (oldest != nullptr) {
    active_call& op = *oldest;
    oldest = op.next;
    if (op.abandoned) continue;
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
    active_call& op = *polled_[i];
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

std::size_t engine::teams_known() {
  const std::lock_guard hold(guard_);
  return teams_.size();
}

namespace {

engine& make_engine(runtime& owner) {
  engine& made = owner.attach(std::make_unique<engine>(owner));
  owner.attach(std::make_unique<symmetric_heap>(owner));
  made.chooser().use_networks(layer_access::network_names(owner));
  if (owner.rank() == 0) made.chooser().check_save_place();
  // The handlers of all ranks are registered when this exchange is over.
  const std::string own = made.chooser().text();
  try {
    made.chooser().settle(owner.exchange(std::as_bytes(std::span(own))), owner.rank());
    made.chooser().measure_network(owner);
  } catch (const error& refused) {
    made.refuse(refused);
    throw;
  }
  return made;
}

}  // namespace

engine& open(runtime& owner) {
  if (engine* const existing = owner.attached<engine>()) [[likely]] {
    if (existing->refusal().has_value()) [[unlikely]]
      throw error(*existing->refusal());
    return *existing;
  }
  try {
    return make_engine(owner);
  } catch (const error& refused) {
    note_refusal(owner, refused.what());
    throw;
  }
}

}  // namespace atl::coll
