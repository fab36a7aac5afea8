// SPDX-License-Identifier: BSD-3-Clause
//
// Questions about clients, segments, endpoints and teams. All answers were known when the object
// was made, so nothing here communicates.
#include <front/gex/objects.hpp>

#include <gasnetex_identity.h>
#include <gasnetex_objects.h>
#include <atoll/base/text.hpp>
#include <front/gex/context.hpp>

using namespace atl::gex;

namespace {

team_member& no_pair(gex_TM_t tm, const char* call) noexcept {
  team_of(tm, call);
  return member(tm);
}

}  // namespace

// --- client ----------------------------------------------------------------------------------

gex_Flags_t gex_Client_QueryFlags(gex_Client_t client) { return client->flags; }
const char* gex_Client_QueryName(gex_Client_t client) { return client->name.c_str(); }
void gex_Client_SetCData(gex_Client_t client, const void* value) { client->data.set(value); }
void* gex_Client_QueryCData(gex_Client_t client) { return client->data.get(); }

// --- segment ---------------------------------------------------------------------------------

gex_Client_t gex_Segment_QueryClient(gex_Segment_t segment) { return segment->client; }
gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t) { return 0; }
void* gex_Segment_QueryAddr(gex_Segment_t segment) { return segment->address; }
uintptr_t gex_Segment_QuerySize(gex_Segment_t segment) { return segment->size; }
void gex_Segment_SetCData(gex_Segment_t segment, const void* value) { segment->data.set(value); }
void* gex_Segment_QueryCData(gex_Segment_t segment) { return segment->data.get(); }

// --- endpoint --------------------------------------------------------------------------------

gex_Client_t gex_EP_QueryClient(gex_EP_t ep) { return ep->client; }
gex_Flags_t gex_EP_QueryFlags(gex_EP_t ep) { return ep->flags; }
gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep) { return ep->segment; }
gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t ep) { return the_process->index_of(*ep->core); }
void gex_EP_SetCData(gex_EP_t ep, const void* value) { ep->data.set(value); }
void* gex_EP_QueryCData(gex_EP_t ep) { return ep->data.get(); }

// --- team ------------------------------------------------------------------------------------

gex_Client_t gex_TM_QueryClient(gex_TM_t) { return &the_process->client; }
gex_EP_t gex_TM_QueryEP(gex_TM_t tm) { return no_pair(tm, "gex_TM_QueryEP").endpoint; }
gex_Flags_t gex_TM_QueryFlags(gex_TM_t tm) { return no_pair(tm, "gex_TM_QueryFlags").flags; }
void gex_TM_SetCData(gex_TM_t tm, const void* value) {
  no_pair(tm, "gex_TM_SetCData").data.set(value);
}
void* gex_TM_QueryCData(gex_TM_t tm) { return no_pair(tm, "gex_TM_QueryCData").data.get(); }
