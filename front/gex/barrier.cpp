// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers. The one over a team is the core's plain barrier, with its event. The split barrier of
// GASNet-1 is the core's named one; what is left to do here is the order of calls and what GASNet
// says about names at the end of a barrier. One thread at a time makes these calls.
#include <gasnetex_barrier.h>
#include <atoll/core/runtime.hpp>
#include <front/gex/context.hpp>
#include <front/gex/events.hpp>
#include <front/gex/objects.hpp>

using namespace atl::gex;

using atl::barrier_tag;

namespace {

// Where this process stands between notify and wait.
struct split_barrier {
  bool notified = false;
  bool any_complete = false;
};
split_barrier split;

barrier_tag tag_of(int id, int flags) noexcept {
  if ((flags & GASNET_BARRIERFLAG_MISMATCH) != 0) return barrier_tag::mismatch();
  if ((flags & GASNET_BARRIERFLAG_ANONYMOUS) != 0) return barrier_tag::anonymous();
  return barrier_tag::named(static_cast<std::uint32_t>(id));
}

// The barrier is complete; does its outcome agree with what the caller of wait or try says?
int outcome(int id, int flags) noexcept {
  split.notified = false;
  split.any_complete = true;
  const barrier_tag said = tag_of(id, flags);
  return combine(runtime().world().named_result(), said).is_mismatch() ? GASNET_ERR_BARRIER_MISMATCH
                                                                       : GASNET_OK;
}

void before_end(const char* call) noexcept {
  may_communicate(call);
  if (!split.notified)
    refuse(call, "no barrier is under way", "call gasnet_barrier_notify() first");
}

}  // namespace

gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm, gex_Flags_t) {
  static constexpr const char* call = "gex_Coll_BarrierNB";
  may_communicate(call);
  if (tm != &started(call).world) refuse(call, "not a team", "pass the team of all ranks");
  atl::event done = runtime().world().start_barrier();
  return handle_of(done);
}

void gasnet_barrier_notify(int id, int flags) {
  static constexpr const char* call = "gasnet_barrier_notify";
  may_communicate(call);
  atl::team& world = started(call).runtime->world();
  if (split.notified) {
    refuse(call, "a barrier is under way", "call gasnet_barrier_wait() or _try() first");
  }
  split.notified = true;
  world.arrive_named(tag_of(id, flags));
}

int gasnet_barrier_wait(int id, int flags) {
  before_end("gasnet_barrier_wait");
  atl::team& world = runtime().world();
  runtime().wait_until([&] { return world.test_named(); });
  return outcome(id, flags);
}

int gasnet_barrier_try(int id, int flags) {
  before_end("gasnet_barrier_try");
  runtime().progress();
  return runtime().world().test_named() ? outcome(id, flags) : GASNET_ERR_NOT_READY;
}

int gasnet_barrier(int id, int flags) {
  gasnet_barrier_notify(id, flags);
  return gasnet_barrier_wait(id, flags);
}

int gasnet_barrier_result(int* id) {
  if (!split.any_complete || split.notified) {
    refuse("gasnet_barrier_result", "no barrier has just completed", "call it after a barrier");
  }
  const barrier_tag result = runtime().world().named_result();
  if (!result.is_named()) return GASNET_ERR_BARRIER_MISMATCH;  // anonymous, or no one name
  *id = static_cast<int>(result.id());
  return GASNET_OK;
}
