// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives that came from GASNet-1, over those of the runtime. The runtime's collectives use
// a member's memory between its call and its completion, which is what MYSYNC asks for and more
// than NOSYNC does; ALLSYNC adds a fence of all members before or after the movement of data.
#include <gasnetex_coll_legacy.h>
#include <gasnetex_event.h>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <front/gex/context.hpp>
#include <front/gex/events.hpp>
#include <front/gex/objects.hpp>

#include <bit>

using namespace atl::gex;

using atl::coll::choice;

namespace {

constexpr int in_flags = GASNET_COLL_IN_NOSYNC | GASNET_COLL_IN_MYSYNC | GASNET_COLL_IN_ALLSYNC;
constexpr int out_flags = GASNET_COLL_OUT_NOSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_OUT_ALLSYNC;

bool is_one(int flags) noexcept { return std::has_single_bit(static_cast<unsigned>(flags)); }

/// A call of this interface: its team, and its flags as options. The constructor checks that the
/// call may come here.
struct legacy_call {
  legacy_call(const char* name, gex_TM_t tm, gasnet_image_t image, int flags) noexcept
      : team(team_of(tm, name)) {
    may_communicate(name);
    check_rank(name, tm, image);
    if (!is_one(flags & in_flags) || !is_one(flags & out_flags)) {
      refuse(name, atl::text("the flags are ", atl::hex(static_cast<unsigned>(flags))),
             "give one of GASNET_COLL_IN_* and one of GASNET_COLL_OUT_*");
    }
    options.begins_together = (flags & GASNET_COLL_IN_ALLSYNC) != 0;
    options.ends_together = (flags & GASNET_COLL_OUT_ALLSYNC) != 0;
  }

  // With nothing to move a collective ends at once, but a call with ALLSYNC still waits for all.
  bool is_barrier(std::size_t bytes) const noexcept {
    return bytes == 0 && (options.begins_together || options.ends_together);
  }
  gex_Event_t end(atl::event done, std::size_t bytes) noexcept {
    if (is_barrier(bytes)) done = team.start_barrier();
    return handle_of(done);
  }

  atl::team& team;
  choice options;
};

}  // namespace

gasnet_team_handle_t atoll_gex_team_all() { return &started("GASNET_TEAM_ALL").world; }

// --- data ------------------------------------------------------------------------------------

gex_Event_t gasnet_coll_broadcast_nb(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage,
                                     const void* src, size_t nbytes, int flags) {
  legacy_call call("gasnet_coll_broadcast", team, srcimage, flags);
  return call.end(atl::coll::start_broadcast(call.team, srcimage, dst, src, nbytes, call.options),
                  nbytes);
}

gex_Event_t gasnet_coll_scatter_nb(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage,
                                   const void* src, size_t nbytes, int flags) {
  legacy_call call("gasnet_coll_scatter", team, srcimage, flags);
  return call.end(atl::coll::start_scatter(call.team, srcimage, dst, src, nbytes, call.options),
                  nbytes);
}

gex_Event_t gasnet_coll_gather_nb(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst,
                                  const void* src, size_t nbytes, int flags) {
  legacy_call call("gasnet_coll_gather", team, dstimage, flags);
  return call.end(atl::coll::start_gather(call.team, dstimage, dst, src, nbytes, call.options),
                  nbytes);
}

gex_Event_t gasnet_coll_gather_all_nb(gasnet_team_handle_t team, void* dst, const void* src,
                                      size_t nbytes, int flags) {
  legacy_call call("gasnet_coll_gather_all", team, 0, flags);
  return call.end(atl::coll::start_allgather(call.team, dst, src, nbytes, call.options), nbytes);
}

gex_Event_t gasnet_coll_exchange_nb(gasnet_team_handle_t team, void* dst, const void* src,
                                    size_t nbytes, int flags) {
  legacy_call call("gasnet_coll_exchange", team, 0, flags);
  return call.end(atl::coll::start_alltoall(call.team, dst, src, nbytes, call.options), nbytes);
}

void gasnet_coll_broadcast(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage,
                           const void* src, size_t nbytes, int flags) {
  gex_Event_Wait(gasnet_coll_broadcast_nb(team, dst, srcimage, src, nbytes, flags));
}

void gasnet_coll_scatter(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage,
                         const void* src, size_t nbytes, int flags) {
  gex_Event_Wait(gasnet_coll_scatter_nb(team, dst, srcimage, src, nbytes, flags));
}

void gasnet_coll_gather(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst,
                        const void* src, size_t nbytes, int flags) {
  gex_Event_Wait(gasnet_coll_gather_nb(team, dstimage, dst, src, nbytes, flags));
}

void gasnet_coll_gather_all(gasnet_team_handle_t team, void* dst, const void* src, size_t nbytes,
                            int flags) {
  gex_Event_Wait(gasnet_coll_gather_all_nb(team, dst, src, nbytes, flags));
}

void gasnet_coll_exchange(gasnet_team_handle_t team, void* dst, const void* src, size_t nbytes,
                          int flags) {
  gex_Event_Wait(gasnet_coll_exchange_nb(team, dst, src, nbytes, flags));
}

// --- tuning: a table decides, or settings; see gasnetex_coll_legacy.h -------------------------

void gasnet_coll_loadTuningState(const char*, gasnet_team_handle_t) {}
void gasnet_coll_dumpTuningState(const char*, gasnet_team_handle_t) {}
void gasnet_coll_dumpProfile(const char*, gasnet_team_handle_t) {}
int gasnet_coll_get_num_tree_classes(gasnet_team_handle_t, gasnet_coll_optype_t) { return 0; }
void gasnet_coll_set_tree_kind(gasnet_team_handle_t, int, int, gasnet_coll_optype_t) {}
void gasnet_coll_set_dissem_limit(gasnet_team_handle_t, size_t, gasnet_coll_optype_t) {}
