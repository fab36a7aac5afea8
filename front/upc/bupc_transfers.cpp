// SPDX-License-Identifier: BSD-3-Clause
//
// Berkeley UPC's transfers in the background and of chunks. The first are those of upc_nb.h under
// older names. Chunks of both sides are cut where either side's chunk ends; all pieces are under
// way at once, and the call returns when they are complete.
#include <bupc_extensions.h>

#include <upc.h>
#include <upc_nb.h>

#include <atoll/base/text.hpp>
#include <front/upc/process.hpp>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

using namespace atl;
using namespace atl::upc;

bupc_handle_t bupc_memcpy_async(atoll_upc_pointer dst, atoll_upc_pointer src, std::size_t n) {
  return upc_memcpy_nb(dst, src, n);
}
bupc_handle_t bupc_memget_async(void* dst, atoll_upc_pointer src, std::size_t n) {
  return upc_memget_nb(dst, src, n);
}
bupc_handle_t bupc_memput_async(atoll_upc_pointer dst, const void* src, std::size_t n) {
  return upc_memput_nb(dst, src, n);
}
bupc_handle_t bupc_memset_async(atoll_upc_pointer dst, int c, std::size_t n) {
  return upc_memset_nb(dst, c, n);
}
void bupc_memcpy_asynci(atoll_upc_pointer dst, atoll_upc_pointer src, std::size_t n) {
  upc_memcpy_nbi(dst, src, n);
}
void bupc_memget_asynci(void* dst, atoll_upc_pointer src, std::size_t n) {
  upc_memget_nbi(dst, src, n);
}
void bupc_memput_asynci(atoll_upc_pointer dst, const void* src, std::size_t n) {
  upc_memput_nbi(dst, src, n);
}
void bupc_memset_asynci(atoll_upc_pointer dst, int c, std::size_t n) { upc_memset_nbi(dst, c, n); }

void bupc_waitsync(bupc_handle_t handle) { upc_sync(handle); }
int bupc_trysync(bupc_handle_t handle) { return upc_sync_attempt(handle); }
void bupc_waitsynci() { upc_synci(); }
int bupc_trysynci() { return upc_synci_attempt(); }

void bupc_waitsync_all(bupc_handle_t* handles, std::size_t count) {
  for (bupc_handle_t& each : std::span(handles, count))
    upc_sync(std::exchange(each, BUPC_COMPLETE_HANDLE));
}

int bupc_trysync_all(bupc_handle_t* handles, std::size_t count) {
  int are_complete = 1;
  for (bupc_handle_t& each : std::span(handles, count)) {
    if (each == BUPC_COMPLETE_HANDLE) continue;
    if (upc_sync_attempt(each) != 0) {
      each = BUPC_COMPLETE_HANDLE;
    } else {
      are_complete = 0;
    }
  }
  return are_complete;
}

std::size_t bupc_trysync_some(bupc_handle_t* handles, std::size_t count, std::size_t* places) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (handles[i] == BUPC_COMPLETE_HANDLE || upc_sync_attempt(handles[i]) == 0) continue;
    handles[i] = BUPC_COMPLETE_HANDLE;
    places[found++] = i;
  }
  return found;
}

std::size_t bupc_waitsync_some(bupc_handle_t* handles, std::size_t count, std::size_t* places) {
  const auto is_complete = [](bupc_handle_t each) { return each == BUPC_COMPLETE_HANDLE; };
  for (;;) {
    if (std::all_of(handles, handles + count, is_complete)) return 0;
    if (const std::size_t found = bupc_trysync_some(handles, count, places); found != 0)
      return found;
  }
}

namespace {

struct chunks {
  std::size_t bytes, stride, count;
};

// Calls start(place in target, place in source, bytes) for each piece, and waits for what it
// starts.
template <class Start>
void transfer(const char* call, chunks to, chunks from, Start start) {
  if (to.bytes * to.count != from.bytes * from.count) {
    refuse(call,
           text("there are ", from.count, " chunks of ", from.bytes, " bytes at the source, and ",
                to.count, " of ", to.bytes, " at the target"),
           "give as many bytes on both sides");
  }
  std::vector<bupc_handle_t> handles;
  const std::size_t all = to.bytes * to.count;
  for (std::size_t done = 0, piece = 0; done < all; done += piece) {
    const std::size_t in_target = done % to.bytes, in_source = done % from.bytes;
    piece = std::min(to.bytes - in_target, from.bytes - in_source);
    const bupc_handle_t handle = start(done / to.bytes * to.stride + in_target,
                                       done / from.bytes * from.stride + in_source, piece);
    if (handle != BUPC_COMPLETE_HANDLE) handles.push_back(handle);
  }
  bupc_waitsync_all(handles.data(), handles.size());
}

atoll_upc_pointer moved(atoll_upc_pointer p, std::size_t bytes) {
  return {p.offset + bytes, p.thread, 0};
}

}  // namespace

void bupc_memcpy_fstrided(atoll_upc_pointer dst, std::size_t dstchunklen, std::size_t dststride,
                          std::size_t dstchunks, atoll_upc_pointer src, std::size_t srcchunklen,
                          std::size_t srcstride, std::size_t srcchunks) {
  transfer("bupc_memcpy_fstrided", {dstchunklen, dststride, dstchunks},
           {srcchunklen, srcstride, srcchunks},
           [&](std::size_t target, std::size_t source, std::size_t bytes) {
             return upc_memcpy_nb(moved(dst, target), moved(src, source), bytes);
           });
}

void bupc_memget_fstrided(void* dst, std::size_t dstchunklen, std::size_t dststride,
                          std::size_t dstchunks, atoll_upc_pointer src, std::size_t srcchunklen,
                          std::size_t srcstride, std::size_t srcchunks) {
  transfer("bupc_memget_fstrided", {dstchunklen, dststride, dstchunks},
           {srcchunklen, srcstride, srcchunks},
           [&](std::size_t target, std::size_t source, std::size_t bytes) {
             return upc_memget_nb(static_cast<char*>(dst) + target, moved(src, source), bytes);
           });
}

void bupc_memput_fstrided(atoll_upc_pointer dst, std::size_t dstchunklen, std::size_t dststride,
                          std::size_t dstchunks, const void* src, std::size_t srcchunklen,
                          std::size_t srcstride, std::size_t srcchunks) {
  transfer("bupc_memput_fstrided", {dstchunklen, dststride, dstchunks},
           {srcchunklen, srcstride, srcchunks},
           [&](std::size_t target, std::size_t source, std::size_t bytes) {
             return upc_memput_nb(moved(dst, target), static_cast<const char*>(src) + source,
                                  bytes);
           });
}
