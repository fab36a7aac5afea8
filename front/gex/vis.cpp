// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous transfers of the API: a description is turned into the core's terms, which point
// at the client's arrays; the core copies or packs (atoll/core/strided/strided.hpp). The notice
// that is armed for a thread's next put is kept with the thread. An empty transfer is complete
// whatever the rank and the addresses. Threads: as the core's transfers.
#include <gasnetex_event.h>
#include <gasnetex_vis.h>
#include <atoll/core/strided/strided.hpp>
#include <front/gex/context.hpp>
#include <front/gex/events.hpp>
#include <front/gex/message.hpp>
#include <front/gex/objects.hpp>
#include <front/gex/thread_memory.hpp>

#include <cstddef>

using namespace atl::gex;

namespace {

static_assert(sizeof(gex_Memvec_t) == sizeof(atl::memory_run));
static_assert(offsetof(gex_Memvec_t, gex_addr) == offsetof(atl::memory_run, address));
static_assert(offsetof(gex_Memvec_t, gex_len) == offsetof(atl::memory_run, bytes));
static_assert(GEX_VIS_MAX_PEERCOMPLETION == atl::put_notice::bytes_max);

enum class form { blocking, explicit_event, implicit_event };

/// A call of the API: its name, its team, its target and its flags. `Put` is the direction.
struct vis_call {
  const char* name;
  gex_TM_t tm;
  gex_Rank_t rank;
  gex_Flags_t flags;
};

bool is_empty(const atl::vector_transfer& transfer) noexcept {
  return transfer.to.size() == 0 && transfer.from.size() == 0;
}
bool is_empty(const atl::indexed_transfer& transfer) noexcept {
  return transfer.to.addresses.empty() && transfer.from.addresses.empty();
}
bool is_empty(const atl::strided_transfer& transfer) noexcept {
  for (const std::size_t count : transfer.counts) {
    if (count == 0) return true;
  }
  return transfer.element_bytes == 0;
}

/// The result of the three forms of a call: whether it was accepted, and the explicit form's event.
struct vis_result {
  bool accepted = true;
  atl::event done = {};
};

template <bool Put, class Transfer>
vis_result start(const peer_endpoint& remote, const Transfer& transfer,
                 const atl::scattered_options& options, form completion) noexcept {
  vis_result result;
  if (completion == form::implicit_event) {
    // From now on waits have to look for implicit operations; see gasnetex_event.h.
    if (options.device != nullptr ||
        remote.endpoint.bound().routes()[remote.rank].word_places == 0) {
      __atomic_store_n(&atoll_gex_implicit_used, 1, __ATOMIC_RELAXED);
    }
    result.accepted = Put ? atl::put_nbi(remote.endpoint, remote.rank, transfer, options)
                          : atl::get_nbi(remote.endpoint, remote.rank, transfer, options);
  } else {
    result.accepted =
        Put ? atl::put_nb(remote.endpoint, remote.rank, transfer, result.done, options)
            : atl::get_nb(remote.endpoint, remote.rank, transfer, result.done, options);
  }
  if (completion == form::blocking) runtime().wait(result.done);
  return result;
}

// The first address that has bytes. It decides whether the local side is memory of the local
// endpoint's device; the core refuses a transfer whose other addresses are elsewhere.
const void* first_address(const atl::run_list& list) noexcept {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].bytes != 0) return list[i].address;
  return nullptr;
}
const void* first_address(const atl::address_list& list) noexcept {
  return list.addresses.empty() ? nullptr : list.addresses.front();
}
const void* first_address(const void* element) noexcept { return element; }

template <bool Put, class Transfer>
atl::memory::device* device_of_local(gex_TM_t tm, const Transfer& transfer) noexcept {
  const void* const first = first_address(Put ? transfer.from : transfer.to);
  return first == nullptr ? nullptr : device_of(tm, first, 1);
}

template <bool Put, class Transfer>
vis_result run(const vis_call& api_call, const Transfer& transfer, form completion) noexcept {
  may_communicate(api_call.name);
  atl::put_notice& armed = this_thread().armed;
  bool notifies = armed.handler != 0;
  if (notifies && !Put) {
    refuse_unless_tolerated(api_call.name,
                            "a peer-completion handler is armed, which gets do not have",
                            "arm it right before a put, or disarm it with handler 0");
    armed = {};
    notifies = false;
  }
  if (!notifies && is_empty(transfer)) return {};
  check_rank(api_call.name, api_call.tm, api_call.rank);
  const atl::put_notice notice = armed;
  armed = {};
  return start<Put>(peer_of(api_call.tm, api_call.rank), transfer,
                    {.immediate = is_immediate(api_call.flags),
                     .notice = notifies ? &notice : nullptr,
                     .device = device_of_local<Put>(api_call.tm, transfer)},
                    completion);
}

template <bool Put, class Transfer>
int blocking(const vis_call& api_call, const Transfer& transfer) noexcept {
  return run<Put>(api_call, transfer, form::blocking).accepted ? 0 : 1;
}
template <bool Put, class Transfer>
int implicitly(const vis_call& api_call, const Transfer& transfer) noexcept {
  return run<Put>(api_call, transfer, form::implicit_event).accepted ? 0 : 1;
}
template <bool Put, class Transfer>
gex_Event_t explicitly(const vis_call& api_call, const Transfer& transfer) noexcept {
  vis_result result = run<Put>(api_call, transfer, form::explicit_event);
  return result.accepted ? handle_of(result.done) : GEX_EVENT_NO_OP;
}

atl::vector_transfer vector_of(size_t dstcount, gex_Memvec_t const* dstlist, size_t srccount,
                               gex_Memvec_t const* srclist) noexcept {
  return {.to = {dstlist, dstcount}, .from = {srclist, srccount}};
}

atl::address_list list_of(void* const* addresses, size_t count, size_t bytes) noexcept {
  return {.addresses = {addresses, count}, .bytes = bytes};
}

/// The sides of a strided call.
struct strided_side {
  void* address;
  const ptrdiff_t* strides;
};

atl::strided_transfer strided_of(strided_side to, strided_side from, size_t elemsz,
                                 const size_t* count, size_t stridelevels) noexcept {
  if (elemsz == 0) stridelevels = 0;  // the arrays must not be read
  return {.to = to.address,
          .to_strides = {to.strides, stridelevels},
          .from = from.address,
          .from_strides = {from.strides, stridelevels},
          .element_bytes = elemsz,
          .counts = {count, stridelevels}};
}

constexpr bool put = true;
constexpr bool get = false;

}  // namespace

// --- vector ------------------------------------------------------------------------------------

int gex_VIS_VectorPutBlocking(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                              gex_Memvec_t const dstlist[], size_t srccount,
                              gex_Memvec_t const srclist[], gex_Flags_t flags) {
  return blocking<put>({"gex_VIS_VectorPutBlocking", tm, dstrank, flags},
                       vector_of(dstcount, dstlist, srccount, srclist));
}

int gex_VIS_VectorPutNBI(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                         gex_Memvec_t const dstlist[], size_t srccount,
                         gex_Memvec_t const srclist[], gex_Flags_t flags) {
  return implicitly<put>({"gex_VIS_VectorPutNBI", tm, dstrank, flags},
                         vector_of(dstcount, dstlist, srccount, srclist));
}

gex_Event_t gex_VIS_VectorPutNB(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                                gex_Memvec_t const dstlist[], size_t srccount,
                                gex_Memvec_t const srclist[], gex_Flags_t flags) {
  return explicitly<put>({"gex_VIS_VectorPutNB", tm, dstrank, flags},
                         vector_of(dstcount, dstlist, srccount, srclist));
}

int gex_VIS_VectorGetBlocking(gex_TM_t tm, size_t dstcount, gex_Memvec_t const dstlist[],
                              gex_Rank_t srcrank, size_t srccount, gex_Memvec_t const srclist[],
                              gex_Flags_t flags) {
  return blocking<get>({"gex_VIS_VectorGetBlocking", tm, srcrank, flags},
                       vector_of(dstcount, dstlist, srccount, srclist));
}

int gex_VIS_VectorGetNBI(gex_TM_t tm, size_t dstcount, gex_Memvec_t const dstlist[],
                         gex_Rank_t srcrank, size_t srccount, gex_Memvec_t const srclist[],
                         gex_Flags_t flags) {
  return implicitly<get>({"gex_VIS_VectorGetNBI", tm, srcrank, flags},
                         vector_of(dstcount, dstlist, srccount, srclist));
}

gex_Event_t gex_VIS_VectorGetNB(gex_TM_t tm, size_t dstcount, gex_Memvec_t const dstlist[],
                                gex_Rank_t srcrank, size_t srccount, gex_Memvec_t const srclist[],
                                gex_Flags_t flags) {
  return explicitly<get>({"gex_VIS_VectorGetNB", tm, srcrank, flags},
                         vector_of(dstcount, dstlist, srccount, srclist));
}

// --- indexed -----------------------------------------------------------------------------------

int gex_VIS_IndexedPutBlocking(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                               void* const dstlist[], size_t dstlen, size_t srccount,
                               void* const srclist[], size_t srclen, gex_Flags_t flags) {
  return blocking<put>({"gex_VIS_IndexedPutBlocking", tm, dstrank, flags},
                       atl::indexed_transfer{.to = list_of(dstlist, dstcount, dstlen),
                                             .from = list_of(srclist, srccount, srclen)});
}

int gex_VIS_IndexedPutNBI(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount, void* const dstlist[],
                          size_t dstlen, size_t srccount, void* const srclist[], size_t srclen,
                          gex_Flags_t flags) {
  return implicitly<put>({"gex_VIS_IndexedPutNBI", tm, dstrank, flags},
                         atl::indexed_transfer{.to = list_of(dstlist, dstcount, dstlen),
                                               .from = list_of(srclist, srccount, srclen)});
}

gex_Event_t gex_VIS_IndexedPutNB(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                                 void* const dstlist[], size_t dstlen, size_t srccount,
                                 void* const srclist[], size_t srclen, gex_Flags_t flags) {
  return explicitly<put>({"gex_VIS_IndexedPutNB", tm, dstrank, flags},
                         atl::indexed_transfer{.to = list_of(dstlist, dstcount, dstlen),
                                               .from = list_of(srclist, srccount, srclen)});
}

int gex_VIS_IndexedGetBlocking(gex_TM_t tm, size_t dstcount, void* const dstlist[], size_t dstlen,
                               gex_Rank_t srcrank, size_t srccount, void* const srclist[],
                               size_t srclen, gex_Flags_t flags) {
  return blocking<get>({"gex_VIS_IndexedGetBlocking", tm, srcrank, flags},
                       atl::indexed_transfer{.to = list_of(dstlist, dstcount, dstlen),
                                             .from = list_of(srclist, srccount, srclen)});
}

int gex_VIS_IndexedGetNBI(gex_TM_t tm, size_t dstcount, void* const dstlist[], size_t dstlen,
                          gex_Rank_t srcrank, size_t srccount, void* const srclist[], size_t srclen,
                          gex_Flags_t flags) {
  return implicitly<get>({"gex_VIS_IndexedGetNBI", tm, srcrank, flags},
                         atl::indexed_transfer{.to = list_of(dstlist, dstcount, dstlen),
                                               .from = list_of(srclist, srccount, srclen)});
}

gex_Event_t gex_VIS_IndexedGetNB(gex_TM_t tm, size_t dstcount, void* const dstlist[], size_t dstlen,
                                 gex_Rank_t srcrank, size_t srccount, void* const srclist[],
                                 size_t srclen, gex_Flags_t flags) {
  return explicitly<get>({"gex_VIS_IndexedGetNB", tm, srcrank, flags},
                         atl::indexed_transfer{.to = list_of(dstlist, dstcount, dstlen),
                                               .from = list_of(srclist, srccount, srclen)});
}

// --- strided -----------------------------------------------------------------------------------

int gex_VIS_StridedPutBlocking(gex_TM_t tm, gex_Rank_t dstrank, void* dstaddr,
                               const ptrdiff_t dststrides[], void* srcaddr,
                               const ptrdiff_t srcstrides[], size_t elemsz, const size_t count[],
                               size_t stridelevels, gex_Flags_t flags) {
  return blocking<put>(
      {"gex_VIS_StridedPutBlocking", tm, dstrank, flags},
      strided_of({dstaddr, dststrides}, {srcaddr, srcstrides}, elemsz, count, stridelevels));
}

int gex_VIS_StridedPutNBI(gex_TM_t tm, gex_Rank_t dstrank, void* dstaddr,
                          const ptrdiff_t dststrides[], void* srcaddr, const ptrdiff_t srcstrides[],
                          size_t elemsz, const size_t count[], size_t stridelevels,
                          gex_Flags_t flags) {
  return implicitly<put>(
      {"gex_VIS_StridedPutNBI", tm, dstrank, flags},
      strided_of({dstaddr, dststrides}, {srcaddr, srcstrides}, elemsz, count, stridelevels));
}

gex_Event_t gex_VIS_StridedPutNB(gex_TM_t tm, gex_Rank_t dstrank, void* dstaddr,
                                 const ptrdiff_t dststrides[], void* srcaddr,
                                 const ptrdiff_t srcstrides[], size_t elemsz, const size_t count[],
                                 size_t stridelevels, gex_Flags_t flags) {
  return explicitly<put>(
      {"gex_VIS_StridedPutNB", tm, dstrank, flags},
      strided_of({dstaddr, dststrides}, {srcaddr, srcstrides}, elemsz, count, stridelevels));
}

int gex_VIS_StridedGetBlocking(gex_TM_t tm, void* dstaddr, const ptrdiff_t dststrides[],
                               gex_Rank_t srcrank, void* srcaddr, const ptrdiff_t srcstrides[],
                               size_t elemsz, const size_t count[], size_t stridelevels,
                               gex_Flags_t flags) {
  return blocking<get>(
      {"gex_VIS_StridedGetBlocking", tm, srcrank, flags},
      strided_of({dstaddr, dststrides}, {srcaddr, srcstrides}, elemsz, count, stridelevels));
}

int gex_VIS_StridedGetNBI(gex_TM_t tm, void* dstaddr, const ptrdiff_t dststrides[],
                          gex_Rank_t srcrank, void* srcaddr, const ptrdiff_t srcstrides[],
                          size_t elemsz, const size_t count[], size_t stridelevels,
                          gex_Flags_t flags) {
  return implicitly<get>(
      {"gex_VIS_StridedGetNBI", tm, srcrank, flags},
      strided_of({dstaddr, dststrides}, {srcaddr, srcstrides}, elemsz, count, stridelevels));
}

gex_Event_t gex_VIS_StridedGetNB(gex_TM_t tm, void* dstaddr, const ptrdiff_t dststrides[],
                                 gex_Rank_t srcrank, void* srcaddr, const ptrdiff_t srcstrides[],
                                 size_t elemsz, const size_t count[], size_t stridelevels,
                                 gex_Flags_t flags) {
  return explicitly<get>(
      {"gex_VIS_StridedGetNB", tm, srcrank, flags},
      strided_of({dstaddr, dststrides}, {srcaddr, srcstrides}, elemsz, count, stridelevels));
}

// --- peer completion ---------------------------------------------------------------------------

void gex_VIS_SetPeerCompletionHandler(gex_AM_Index_t handler, const void* source_addr,
                                      size_t nbytes, gex_Flags_t) {
  if (nbytes > GEX_VIS_MAX_PEERCOMPLETION && handler != 0) {
    refuse("gex_VIS_SetPeerCompletionHandler", "the payload is too long",
           "send at most GEX_VIS_MAX_PEERCOMPLETION bytes");
  }
  this_thread().armed = {.handler = handler, .payload = source_addr, .bytes = nbytes};
}
