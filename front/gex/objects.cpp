// SPDX-License-Identifier: BSD-3-Clause
//
// Questions about clients, segments, endpoints and teams. All answers were known when the object
// was made or the segment attached, so nothing here communicates.
#include <front/gex/objects.hpp>

#include <gasnetex_identity.h>
#include <gasnetex_objects.h>
#include <atoll/base/text.hpp>
#include <front/gex/context.hpp>

using namespace atl::gex;

namespace {

team_member& member(gex_TM_t tm) noexcept { return *static_cast<team_member*>(tm); }

team_member& no_pair(gex_TM_t tm, const char* call) noexcept {
  if (member(tm).is_pair) {
    refuse(call, "a pair (gex_TM_Pair) is not a team", "pass a team; pairs name peers only");
  }
  return member(tm);
}

struct bound_segment {
  void* owner_address;
  void* local_address;
  std::size_t size;
};

bound_segment segment_of(gex_Rank_t rank) noexcept {
  const atl::path& row = endpoint().paths()[rank];
  return {reinterpret_cast<void*>(row.remote_base), row.local_base, row.segment_bytes};
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
gex_Flags_t gex_EP_QueryFlags(gex_EP_t) { return 0; }
gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep) { return ep->segment; }
gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t) { return 0; }
void gex_EP_SetCData(gex_EP_t ep, const void* value) { ep->data.set(value); }
void* gex_EP_QueryCData(gex_EP_t ep) { return ep->data.get(); }

gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p,
                                       void** localaddr_p, uintptr_t* size_p, gex_Flags_t flags) {
  static constexpr const char* call = "gex_EP_QueryBoundSegmentNB";
  if ((flags & GEX_FLAG_IMMEDIATE) == 0) may_communicate(call);
  check_rank(call, tm, rank);
  const bound_segment found = segment_of(rank);
  if (owneraddr_p != nullptr) *owneraddr_p = found.owner_address;
  if (localaddr_p != nullptr) *localaddr_p = found.local_address;
  if (size_p != nullptr) *size_p = found.size;
  return GEX_EVENT_INVALID;
}

int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p, void** localaddr_p,
                           uintptr_t* size_p) {
  static constexpr const char* call = "gex_Segment_QueryBound";
  may_communicate(call);
  check_rank(call, tm, rank);
  if (segment_of(rank).size == 0) return GASNET_ERR_NOT_READY;  // outputs stay as they were
  return gex_EP_QueryBoundSegmentNB(tm, rank, owneraddr_p, localaddr_p, size_p, 0) ==
                 GEX_EVENT_INVALID
             ? GASNET_OK
             : GASNET_ERR_NOT_READY;
}

int gex_EP_PublishBoundSegment(gex_TM_t tm, gex_EP_t* eps, size_t num_eps, gex_Flags_t flags) {
  static constexpr const char* call = "gex_EP_PublishBoundSegment";
  may_communicate(call);
  no_pair(tm, call);
  if (flags != 0) return complain(GASNET_ERR_BAD_ARG, call, "flags must be 0");
  for (size_t i = 0; i < num_eps; ++i) {
    if (eps[i] != &the_process->endpoint) {
      return complain(GASNET_ERR_BAD_ARG, call, atl::text("entry ", i, " is not an endpoint"));
    }
  }
  return GASNET_OK;
}

// --- team ------------------------------------------------------------------------------------

gex_Client_t gex_TM_QueryClient(gex_TM_t) { return &the_process->client; }
gex_EP_t gex_TM_QueryEP(gex_TM_t) { return &the_process->endpoint; }
gex_Flags_t gex_TM_QueryFlags(gex_TM_t) { return 0; }
void gex_TM_SetCData(gex_TM_t tm, const void* value) {
  no_pair(tm, "gex_TM_SetCData").data.set(value);
}
void* gex_TM_QueryCData(gex_TM_t tm) { return no_pair(tm, "gex_TM_QueryCData").data.get(); }

gex_TM_t gex_TM_Pair(gex_EP_t local_ep, gex_EP_Index_t remote_ep_index) {
  static constexpr const char* call = "gex_TM_Pair";
  if (local_ep != &the_process->endpoint || remote_ep_index != 0) {
    refuse(call, atl::text("no process has an endpoint of index ", remote_ep_index),
           "every process has one endpoint, of index 0");
  }
  return &the_process->pair;
}

gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank) {
  static constexpr const char* call = "gex_TM_TranslateRankToJobrank";
  no_pair(tm, call);
  check_rank(call, tm, rank);
  return rank;
}

gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t jobrank) {
  static constexpr const char* call = "gex_TM_TranslateJobrankToRank";
  no_pair(tm, call);
  check_rank(call, tm, jobrank);
  return jobrank;
}

gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t tm, gex_Rank_t rank, gex_Flags_t) {
  static constexpr const char* call = "gex_TM_TranslateRankToEP";
  no_pair(tm, call);
  check_rank(call, tm, rank);
  return {rank, 0};
}
