// SPDX-License-Identifier: BSD-3-Clause
//
// The start of a GASNet-1 client, which is that of a GASNet-EX client in other words: there is one
// client in a process, whichever interface started it. `atoll_gex_gasnet1_team` is written in the
// collective start, before other threads of the client can communicate, and only read afterwards.
#include <gasnet1_am.h>
#include <gasnet1_start.h>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <front/gex/context.hpp>
#include <front/gex/gasnet1.hpp>
#include <front/gex/objects.hpp>

namespace {
atoll_gex_team nobody = {};
bool started_by_gasnet1 = false;
}  // namespace

gex_TM_t atoll_gex_gasnet1_team = &nobody;
void (*gasnet_client_attach_hook)(void* address, uintptr_t size) = nullptr;

namespace atl::gex {

gex_TM_t unattached_team() noexcept { return &nobody; }

void gasnet1_client_started() noexcept {
  if (started_by_gasnet1 || (the_process->client.flags & GEX_FLAG_USES_GASNET1) == 0) return;
  atoll_gex_gasnet1_team = &the_process->world;
}

void refuse_before_attach(const char* call) noexcept {
  if (the_process == nullptr) refuse_before_start(call);
  if (!started_by_gasnet1) {
    refuse(call, "a call of GASNet-1, but the client did not say that it uses GASNet-1",
           "pass GEX_FLAG_USES_GASNET1 to gex_Client_Init()");
  }
  refuse(call, "no segment has been attached", "call gasnet_attach() after gasnet_init()");
}

namespace {

// Registers fixed indices first, so that no chosen one takes the place of a fixed one.
int register_table(process_state& process, const char* call, gasnet_handlerentry_t* table,
                   int numentries) {
  if (numentries < 0 || (numentries > 0 && table == nullptr)) {
    return complain(GASNET_ERR_BAD_ARG, call, "no table of handlers");
  }
  for (const bool fixed : {true, false}) {
    for (int i = 0; i < numentries; ++i) {
      gasnet_handlerentry_t& each = table[i];
      if ((each.index != 0) != fixed) continue;
      if (each.fnptr == nullptr || (fixed && each.index < GEX_AM_INDEX_BASE)) {
        return complain(
            GASNET_ERR_BAD_ARG, call,
            atl::text("handler ", i, ": ",
                      each.fnptr == nullptr ? "its function is null" : "its index is reserved"));
      }
      if (!register_untyped(process, each.index, each.fnptr)) {
        return complain(fixed ? GASNET_ERR_BAD_ARG : GASNET_ERR_RESOURCE, call,
                        atl::text("handler ", i, ": the index is taken, or all are"));
      }
    }
  }
  return GASNET_OK;
}

// No handler of a client runs before the client has seen the attach succeed, though ranks that have
// seen it send at once. So the last wait is one for the launcher, which makes no progress. It
// begins when no rank needs the help of another one any more: the exchange before it does make
// progress. A progress thread, if there is one, still runs handlers.
void wait_for_attach_of_all(atl::runtime& job) {
  try {
    job.exchange({});
    layer_access::boot(job).fence();
  } catch (const error& ended) {
    refuse("gasnet_attach", ended.what(), "see the other messages of the job");
  }
}

}  // namespace
}  // namespace atl::gex

using namespace atl::gex;

void atoll_gex_gasnet1_refuse() { refuse_before_attach("a call of GASNet-1"); }

int atoll_gex_gasnet1_init(const atoll_gex_start* start) {
  if (the_process != nullptr) {
    return complain(GASNET_ERR_NOT_INIT, "gasnet_init", "the client has been initialized already");
  }
  started_by_gasnet1 = true;
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  return atoll_gex_client_init(&client, &endpoint, &team, start);
}

int gasnet_attach(gasnet_handlerentry_t* table, int numentries, uintptr_t segsize, uintptr_t) {
  static constexpr const char* call = "gasnet_attach";
  process_state& process = started(call);
  may_communicate(call);
  if (!started_by_gasnet1) {
    return complain(GASNET_ERR_NOT_INIT, call,
                    "the client was started by gex_Client_Init(); use gex_Segment_Attach()");
  }
  if (atoll_gex_gasnet1_team != &nobody) {
    return complain(GASNET_ERR_NOT_INIT, call, "the client has attached already");
  }
  // The size is checked before any handler is registered, so that the client may ask again.
  const bool is_whole_pages = segsize % GASNET_PAGESIZE == 0;
  const int wrong = is_whole_pages ? register_table(process, call, table, numentries)
                                   : complain(GASNET_ERR_BAD_ARG, call,
                                              "the size is not a multiple of GASNET_PAGESIZE");
  if (wrong != GASNET_OK) {
    attach_together(process, 0);
    return wrong;
  }
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  const int failed =
      gex_Segment_Attach(&segment, &process.world, segsize == 0 ? GASNET_PAGESIZE : segsize);
  if (failed != GASNET_OK) return failed;
  atoll_gex_gasnet1_team = &process.world;
  if (gasnet_client_attach_hook != nullptr) {
    gasnet_client_attach_hook(gex_Segment_QueryAddr(segment), gex_Segment_QuerySize(segment));
  }
  wait_for_attach_of_all(*process.runtime);
  return GASNET_OK;
}

void gasnet_QueryGexObjects(gex_Client_t* client_p, gex_EP_t* endpoint_p, gex_TM_t* tm_p,
                            gex_Segment_t* segment_p) {
  process_state& process = started("gasnet_QueryGexObjects");
  if (client_p != nullptr) *client_p = &process.client;
  if (endpoint_p != nullptr) *endpoint_p = &process.endpoint;
  if (tm_p != nullptr) *tm_p = &process.world;
  if (segment_p != nullptr) *segment_p = process.endpoint.segment;
}
