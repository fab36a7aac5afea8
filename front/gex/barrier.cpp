// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers. The one over a team is the core's plain barrier, with its event. The split barrier of
// GASNet-1 is the core's named barrier of a team; this file checks the order of calls and applies
// GASNet's rules about names at the end of a barrier, and runs the messages that came before it.
// One thread at a time makes these calls.
#include <gasnetex_barrier.h>
#include <gasnetex_coll_legacy.h>
#include <atoll/core/job/runtime.hpp>
#include <front/gex/context.hpp>
#include <front/gex/events.hpp>
#include <front/gex/objects.hpp>

using namespace atl::gex;

using atl::barrier_tag;

namespace {

barrier_tag tag_of(int id, int flags) noexcept {
  if ((flags & GASNET_BARRIERFLAG_MISMATCH) != 0) return barrier_tag::mismatch();
  if ((flags & GASNET_BARRIERFLAG_ANONYMOUS) != 0) return barrier_tag::anonymous();
  return barrier_tag::named(static_cast<std::uint32_t>(id));
}

// The result of a complete barrier: whether its name fits the one that wait or try has given.
int outcome(team_member& membership, int id, int flags) noexcept {
  membership.split.notified = false;
  membership.split.any_complete = true;
  const barrier_tag said = tag_of(id, flags);
  return combine(membership.core->named_result(), said).is_mismatch() ? GASNET_ERR_BARRIER_MISMATCH
                                                                      : GASNET_OK;
}

// Runs the handlers of what ranks of this host sent before they came to the barrier. GASNet
// promises no such order, but programs rely on it, and have it with GASNet's own library. Bounded,
// because the others may send on: twice the polls that empty a queue of the default size.
void run_what_was_sent_before() noexcept {
  constexpr int polls_max = 16;
  for (int polls = 0; polls < polls_max && runtime().progress() != 0; ++polls) {
  }
}

team_member& member_of(gex_TM_t team, const char* call) noexcept {
  started(call);
  team_of(team, call);
  return member(team);
}

team_member& before_end(gex_TM_t team, const char* call) noexcept {
  may_communicate(call);
  team_member& membership = member_of(team, call);
  if (!membership.split.notified) {
    refuse(call, "no barrier is under way",
           "call gasnet_barrier_notify() first, or that of the team");
  }
  return membership;
}

}  // namespace

gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm, gex_Flags_t) {
  static constexpr const char* call = "gex_Coll_BarrierNB";
  may_communicate(call);
  started(call);
  atl::event done = team_of(tm, call).start_barrier();
  return handle_of(done);
}

// --- with names, over a team ------------------------------------------------------------------

void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags) {
  static constexpr const char* call = "gasnet_barrier_notify";
  may_communicate(call);
  team_member& membership = member_of(team, call);
  if (membership.split.notified) {
    refuse(call, "a barrier is under way", "call gasnet_barrier_wait() or _try() first");
  }
  membership.split.notified = true;
  membership.core->arrive_named(tag_of(id, flags));
}

int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags) {
  team_member& membership = before_end(team, "gasnet_barrier_wait");
  runtime().wait_until([&] { return membership.core->test_named(); });
  run_what_was_sent_before();
  return outcome(membership, id, flags);
}

int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags) {
  team_member& membership = before_end(team, "gasnet_barrier_try");
  runtime().progress();
  if (!membership.core->test_named()) return GASNET_ERR_NOT_READY;
  run_what_was_sent_before();
  return outcome(membership, id, flags);
}

int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags) {
  gasnet_coll_barrier_notify(team, id, flags);
  return gasnet_coll_barrier_wait(team, id, flags);
}

int gasnet_coll_barrier_result(gasnet_team_handle_t team, int* id) {
  static constexpr const char* call = "gasnet_barrier_result";
  const team_member& membership = member_of(team, call);
  if (!membership.split.any_complete || membership.split.notified) {
    refuse(call, "no barrier has just completed", "call it after a barrier");
  }
  const barrier_tag result = membership.core->named_result();
  if (!result.is_named()) return GASNET_ERR_BARRIER_MISMATCH;  // anonymous, or names differed
  *id = static_cast<int>(result.id());
  return GASNET_OK;
}

// --- the same over all ranks ------------------------------------------------------------------

void gasnet_barrier_notify(int id, int flags) {
  gasnet_coll_barrier_notify(&started("gasnet_barrier_notify").world, id, flags);
}
int gasnet_barrier_wait(int id, int flags) {
  return gasnet_coll_barrier_wait(&started("gasnet_barrier_wait").world, id, flags);
}
int gasnet_barrier_try(int id, int flags) {
  return gasnet_coll_barrier_try(&started("gasnet_barrier_try").world, id, flags);
}
int gasnet_barrier(int id, int flags) {
  return gasnet_coll_barrier(&started("gasnet_barrier").world, id, flags);
}
int gasnet_barrier_result(int* id) {
  return gasnet_coll_barrier_result(&started("gasnet_barrier_result").world, id);
}
