// SPDX-License-Identifier: BSD-3-Clause
//
// Online tuning as the engine does it: before a call begins, its search is asked whether it may.
// Where the search needs the members' times, an all-reduce of the engine's own is under way. A call
// that comes before its end is postponed with all that follow it on the team, so that members
// choose alike and none waits in a call that must not wait. Progress begins postponed calls when
// that all-reduce has ended.
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/engine/selection.hpp>
#include <atoll/coll/tuned/candidates.hpp>
#include <atoll/coll/tuned/online.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace atl::coll {

namespace {

// The parameters of the rules' choice are tried where the search has room for them.
std::vector<choice> searched_candidates(const call& call, const choice& first) {
  std::vector<choice> list = candidates_of(call, first);
  for (const choice& each : variants_of(choice(list.front()), call)) {
    if (list.size() < algorithm_search::candidates_max) list.push_back(each);
  }
  return list;
}

}  // namespace

team_state::team_state() = default;
team_state::~team_state() = default;

std::uint64_t engine::agreements() noexcept {
  const std::lock_guard hold(guard_);
  return agreements_;
}

// Finds the kind of the call for its decision. Begins an agreement, if it is time for one.
bool engine::may_begin(team_state& state, const given_call& given) noexcept {
  state.kind = nullptr;
  state.asks_search = false;
  const bool is_searched =
      given.options.use == nullptr && selection_->is_searched(given.request.kind);
  if (!is_searched) return true;
  if (!state.tuner) state.tuner = std::make_unique<online_tuner>();
  tuned_call* kind = state.tuner->find(
      given.request, {.blocking = given.blocking, .strict = given.options.fenced()});
  if (kind == nullptr) kind = new_kind(state, given);
  if (kind == nullptr) return true;
  if (kind->repeats != 0) {
    --kind->repeats;
  } else if (!ask_search(given.group, *kind)) {
    return false;
  } else {
    state.asks_search = true;
  }
  state.kind = kind;
  return true;
}

// Asks the search for the call; false while the call depends on times that are being combined.
bool engine::ask_search(team& team, tuned_call& kind) noexcept {
  kind.search.skip(std::exchange(kind.granted, 0));
  if (kind.search.waits()) return false;
  if (!kind.form.blocking) kind.passes();
  if (kind.search.wants_agreement()) begin_agreement(team, kind);
  return true;
}

// Adds a kind of call; null when there are too many.
tuned_call* engine::new_kind(team_state& state, const given_call& given) noexcept {
  if (state.tuner->is_full()) return nullptr;
  active_call probe;
  fill(probe, given.group, state, given.request);
  probe.call.blocking = given.blocking;
  const choice first = selection_->decide(probe.call, given.options);
  return &state.tuner->add(probe.call, searched_candidates(probe.call, first),
                           given.options.fenced());
}

void engine::begin_agreement(team& team, tuned_call& kind) noexcept {
  const std::span<trial_times> times = kind.search.begin_agreement();
  auto* const place = reinterpret_cast<std::byte*>(times.data());
  const arguments request{.kind = collective::allreduce,
                          .from = place,
                          .to = place,
                          .bytes = times.size_bytes(),
                          .count = times.size(),
                          .combine = combination_of_times()};
  ++agreements_;
  active_call& op = take();
  op.agreement = &kind;
  begin(op, team, request, {}, nullptr);
}

void engine::end_agreement(active_call& op) noexcept {
  op.agreement->search.agreed();
  agreement_ended_ = true;
}

// Begins what had to wait on any team, in the order of the program, and ends what has lost a peer.
void engine::begin_postponed() noexcept {
  while (std::exchange(agreement_ended_, false)) {
    for (const auto& [id, state] : teams_) {
      while (!state->postponed.empty()) {
        const postponed_call next = state->postponed.front();
        const bool is_lost = next.group->has_lost_member();
        if (!is_lost && !may_begin(*state, next.given())) break;
        state->postponed.pop_front();
        if (is_lost) {
          next.record->end_piece(operation_status::peer_lost);
        } else {
          begin_postponed(next);
        }
      }
    }
  }
}

void engine::begin_postponed(const postponed_call& next) noexcept {
  active_call& op = take();
  op.record = next.record;
  op.call.blocking = next.blocking;
  begin(op, *next.group, next.request, next.options, nullptr);
  // The time from here to the next start says nothing of the program.
  tuned_call* const kind = find_state(*next.group).kind;
  if (kind != nullptr && !next.blocking) kind->began_ns = 0;
}

// Where the search grants calls that need not ask it, its decision is kept for them.
const decision& engine::decide_by_search(const call& call, tuned_call& kind) noexcept {
  const decision& made = ask_decision(call, kind);
  team_state& state = *call.state;
  if (kind.repeats != 0 && state.postponed.empty()) {
    state.decided[static_cast<std::size_t>(call.kind)] = made;
  }
  return made;
}

const decision& engine::ask_decision(const call& call, tuned_call& kind) noexcept {
  if (!call.state->asks_search && kind.last.bytes == call.bytes) return kind.last;
  algorithm_search& search = kind.search;
  const std::size_t candidate = call.state->asks_search ? search.next() : search.best();
  kind.last = decision_for(call, kind.candidates[candidate]);
  kind.last.searched = &kind;
  kind.last.strict = kind.form.strict;
  if (!call.state->asks_search) return kind.last;
  kind.granted = search.calls_that_need_not_ask();
  kind.repeats = kind.granted;
  if (search.settled() && !std::exchange(kind.is_reported, true)) selection_->settled(call, kind);
  return kind.last;
}

// Members combine times by messages, so that this needs no turn in the lanes of a host.
const decision& engine::decision_of_agreements() noexcept {
  static const decision tree = [] {
    const algorithm* const use = find_algorithm(collective::allreduce, "tree");
    return decision{.made = {.use = use, .radix = use->radix}};
  }();
  return tree;
}

}  // namespace atl::coll
