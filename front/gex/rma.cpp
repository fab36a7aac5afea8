// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers that the header did not do inline: long ones, which the core copies or sends, and wrong
// ones, which it refuses with the ranks, the address and the segment. Transfers of nothing are
// complete whatever the address. Threads: as the core's transfers.
#include <gasnetex_event.h>
#include <gasnetex_rma.h>
#include <atoll/core/rma/rma.hpp>
#include <front/gex/context.hpp>
#include <front/gex/events.hpp>
#include <front/gex/message.hpp>
#include <front/gex/objects.hpp>

#include <cstddef>

using namespace atl::gex;

namespace {

atl::transfer_options get_options(gex_Flags_t flags, atl::memory::device* device) noexcept {
  return {.immediate = is_immediate(flags), .device = device};
}

// The options of a put. A client that defers local completion leaves the source alone until the
// whole put is complete, so it is sent from where it lies. Otherwise a small source is copied, and
// the call waits until a large one has been sent.
atl::transfer_options put_options(gex_Flags_t flags, const gex_Event_t* lc_opt,
                                  atl::memory::device* device) noexcept {
  return {.immediate = is_immediate(flags),
          .keeps_source = lc_opt == GEX_EVENT_DEFER,
          .device = device};
}

// Once an operation was not complete at once, waits have to look for implicit operations; see
// gasnetex_event.h. Relaxed: a thread waits only for what it started itself.
void note_implicit(const atl::route& row, const void* address, std::size_t bytes,
                   const atl::memory::device* device) noexcept {
  if (device != nullptr || row.direct(address, bytes) == nullptr) {
    __atomic_store_n(&atoll_gex_implicit_used, 1, __ATOMIC_RELAXED);
  }
}

}  // namespace

int atoll_gex_implicit_used = 0;

int atoll_gex_put(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                  gex_Flags_t flags) {
  may_communicate("gex_RMA_PutBlocking", in_handler::possible);
  check_rank("gex_RMA_PutBlocking", tm, rank);
  if (nbytes == 0) return 0;
  const peer_endpoint to = peer_of(tm, rank);
  atl::memory::device* const device = device_of(tm, src, nbytes);
  if (!is_immediate(flags) && device == nullptr) {
    atl::put(to.endpoint, to.rank, dest, src, nbytes);
    return 0;
  }
  atl::event done;
  if (!atl::put_nb(to.endpoint, to.rank, dest, src, nbytes, done,
                   put_options(flags, GEX_EVENT_DEFER, device))) {
    return 1;
  }
  runtime().wait(done);
  return 0;
}

int atoll_gex_get(gex_TM_t tm, void* dest, gex_Rank_t rank, void* src, size_t nbytes,
                  gex_Flags_t flags) {
  may_communicate("gex_RMA_GetBlocking", in_handler::possible);
  check_rank("gex_RMA_GetBlocking", tm, rank);
  if (nbytes == 0) return 0;
  const peer_endpoint from = peer_of(tm, rank);
  atl::memory::device* const device = device_of(tm, dest, nbytes);
  if (!is_immediate(flags) && device == nullptr) {
    atl::get(from.endpoint, dest, from.rank, src, nbytes);
    return 0;
  }
  atl::event done;
  if (!atl::get_nb(from.endpoint, dest, from.rank, src, nbytes, done, get_options(flags, device)))
    return 1;
  runtime().wait(done);
  return 0;
}

gex_Event_t atoll_gex_put_nb(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src,
                             size_t nbytes, gex_Event_t* lc_opt, gex_Flags_t flags) {
  may_communicate("gex_RMA_PutNB", in_handler::possible);
  check_rank("gex_RMA_PutNB", tm, rank);
  const peer_endpoint to = peer_of(tm, rank);
  atl::event done;
  if (nbytes != 0 && !atl::put_nb(to.endpoint, to.rank, dest, src, nbytes, done,
                                  put_options(flags, lc_opt, device_of(tm, src, nbytes)))) {
    return GEX_EVENT_NO_OP;
  }
  atoll_gex_source_done(lc_opt);
  return handle_of(done);
}

gex_Event_t atoll_gex_get_nb(gex_TM_t tm, void* dest, gex_Rank_t rank, void* src, size_t nbytes,
                             gex_Flags_t flags) {
  may_communicate("gex_RMA_GetNB", in_handler::possible);
  check_rank("gex_RMA_GetNB", tm, rank);
  const peer_endpoint from = peer_of(tm, rank);
  atl::event done;
  if (nbytes != 0 && !atl::get_nb(from.endpoint, dest, from.rank, src, nbytes, done,
                                  get_options(flags, device_of(tm, dest, nbytes)))) {
    return GEX_EVENT_NO_OP;
  }
  return handle_of(done);
}

int atoll_gex_put_nbi(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                      gex_Event_t* lc_opt, gex_Flags_t flags) {
  may_communicate("gex_RMA_PutNBI", in_handler::possible);
  check_rank("gex_RMA_PutNBI", tm, rank);
  if (nbytes == 0) return 0;
  const peer_endpoint to = peer_of(tm, rank);
  atl::memory::device* const device = device_of(tm, src, nbytes);
  note_implicit(to.endpoint.bound().routes()[to.rank], dest, nbytes, device);
  const atl::transfer_options options = put_options(flags, lc_opt, device);
  return atl::put_nbi(to.endpoint, to.rank, dest, src, nbytes, options) ? 0 : 1;
}

int atoll_gex_get_nbi(gex_TM_t tm, void* dest, gex_Rank_t rank, void* src, size_t nbytes,
                      gex_Flags_t flags) {
  may_communicate("gex_RMA_GetNBI", in_handler::possible);
  check_rank("gex_RMA_GetNBI", tm, rank);
  if (nbytes == 0) return 0;
  const peer_endpoint from = peer_of(tm, rank);
  atl::memory::device* const device = device_of(tm, dest, nbytes);
  note_implicit(from.endpoint.bound().routes()[from.rank], src, nbytes, device);
  const atl::transfer_options options = get_options(flags, device);
  return atl::get_nbi(from.endpoint, dest, from.rank, src, nbytes, options) ? 0 : 1;
}
