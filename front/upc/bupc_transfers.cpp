// SPDX-License-Identifier: BSD-3-Clause
//
// Berkeley UPC's transfers in the background, and those of many pieces. The first are those of
// upc_nb.h under older names. In the second, pieces of both sides are cut where a piece of either
// side ends; all are under way at once, and have one handle.
#include <bupc_extensions.h>

#include <upc.h>

#include <atoll/base/text.hpp>
#include <front/upc/handles.hpp>
#include <front/upc/process_state.hpp>

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

namespace {

bool is_complete(bupc_handle_t handle) noexcept { return handle == BUPC_COMPLETE_HANDLE; }

// Tests each handle once; returns how many have become complete.
std::size_t test_each(std::span<bupc_handle_t> handles) {
  std::size_t found = 0;
  for (bupc_handle_t& each : handles) {
    if (is_complete(each) || upc_sync_attempt(each) == 0) continue;
    each = BUPC_COMPLETE_HANDLE;
    ++found;
  }
  return found;
}

}  // namespace

int bupc_trysync_some(bupc_handle_t* handles, std::size_t count) {
  if (std::all_of(handles, handles + count, is_complete)) return 1;
  return test_each({handles, count}) != 0 ? 1 : 0;
}

void bupc_waitsync_some(bupc_handle_t* handles, std::size_t count) {
  while (bupc_trysync_some(handles, count) == 0) continue;
}

void bupc_begin_accessregion() {
  process_state& us = running("bupc_begin_accessregion");
  if (us.region) {
    refuse("bupc_begin_accessregion", "the access region begun before has not ended",
           "call bupc_end_accessregion before the next region begins");
  }
  us.region.emplace();
}

bupc_handle_t bupc_end_accessregion() {
  process_state& us = running("bupc_end_accessregion");
  if (!us.region) {
    refuse("bupc_end_accessregion", "no region has begun", "call bupc_begin_accessregion first");
  }
  std::vector<bupc_handle_t> handles = std::move(*us.region);
  us.region.reset();
  return join(std::move(handles));
}

namespace {

/// Bytes that follow each other on one side of a transfer.
template <class Address>
struct stretch {
  Address begin;
  std::size_t bytes;
};
template <class Address>
using stretches = std::vector<stretch<Address>>;

atoll_upc_pointer moved(atoll_upc_pointer p, std::size_t bytes) {
  return {p.offset + bytes, p.thread, 0};
}
void* moved(void* p, std::size_t bytes) { return static_cast<char*>(p) + bytes; }
const void* moved(const void* p, std::size_t bytes) { return static_cast<const char*>(p) + bytes; }

template <class Address>
std::size_t bytes_of(const stretches<Address>& side) {
  std::size_t sum = 0;
  for (const stretch<Address>& each : side) sum += each.bytes;
  return sum;
}

template <class Address>
stretches<Address> chunks(Address begin, std::size_t bytes, std::size_t stride, std::size_t count) {
  stretches<Address> side(count);
  for (std::size_t i = 0; i < count; ++i) side[i] = {moved(begin, i * stride), bytes};
  return side;
}

template <class Address>
stretches<Address> places(std::size_t count, const Address* list, std::size_t bytes) {
  stretches<Address> side(count);
  for (std::size_t i = 0; i < count; ++i) side[i] = {list[i], bytes};
  return side;
}

template <class Address, class Piece>
stretches<Address> pieces(std::size_t count, const Piece* list) {
  stretches<Address> side(count);
  for (std::size_t i = 0; i < count; ++i) side[i] = {list[i].addr, list[i].len};
  return side;
}

// The innermost level moves fastest: place[i] is how often level i was repeated.
template <class Address>
stretches<Address> levels(Address begin, const std::size_t* strides, const std::size_t* count,
                          std::size_t depth) {
  stretches<Address> side;
  if (std::find(count, count + depth + 1, 0) != count + depth + 1) return side;
  std::vector<std::size_t> place(depth);
  for (;;) {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < depth; ++i) offset += place[i] * strides[i];
    side.push_back({moved(begin, offset), count[0]});
    std::size_t level = 0;
    while (level < depth && ++place[level] == count[level + 1]) place[level++] = 0;
    if (level == depth) return side;
  }
}

/// Starts a transfer for each piece that is whole on both sides.
template <class To, class From>
bupc_handle_t start(const char* call, bupc_handle_t (*start_piece)(To, From, std::size_t),
                    const stretches<To>& to, const stretches<From>& from) {
  if (bytes_of(to) != bytes_of(from)) {
    refuse(call,
           text("there are ", bytes_of(from), " bytes at the source, and ", bytes_of(to),
                " at the target"),
           "give as many bytes on both sides");
  }
  std::vector<bupc_handle_t> handles;
  auto source = from.begin();
  std::size_t used = 0;  // of the source's stretch
  for (const stretch<To>& target : to) {
    for (std::size_t done = 0, piece = 0; done < target.bytes; done += piece, used += piece) {
      for (; used == source->bytes; ++source) used = 0;
      piece = std::min(target.bytes - done, source->bytes - used);
      const bupc_handle_t handle =
          start_piece(moved(target.begin, done), moved(source->begin, used), piece);
      if (handle != BUPC_COMPLETE_HANDLE) handles.push_back(handle);
    }
  }
  return join(std::move(handles));
}

}  // namespace

// Each form, in the background and not, of copies, puts and gets.
#define ATOLL_UPC_DEFINE_PIECES(NAME, TARGET, SOURCE, TARGET_PIECE, SOURCE_PIECE)                  \
  bupc_handle_t bupc_##NAME##_vlist_async(std::size_t dstcount, TARGET_PIECE const dstlist[],      \
                                          std::size_t srccount, SOURCE_PIECE const srclist[]) {    \
    return start<TARGET, SOURCE>("bupc_" #NAME "_vlist", upc_##NAME##_nb,                          \
                                 pieces<TARGET>(dstcount, dstlist),                                \
                                 pieces<SOURCE>(srccount, srclist));                               \
  }                                                                                                \
  void bupc_##NAME##_vlist(std::size_t dstcount, TARGET_PIECE const dstlist[],                     \
                           std::size_t srccount, SOURCE_PIECE const srclist[]) {                   \
    upc_sync(bupc_##NAME##_vlist_async(dstcount, dstlist, srccount, srclist));                     \
  }                                                                                                \
  bupc_handle_t bupc_##NAME##_ilist_async(std::size_t dstcount, TARGET const dstlist[],            \
                                          std::size_t dstlen, std::size_t srccount,                \
                                          SOURCE const srclist[], std::size_t srclen) {            \
    return start<TARGET, SOURCE>("bupc_" #NAME "_ilist", upc_##NAME##_nb,                          \
                                 places<TARGET>(dstcount, dstlist, dstlen),                        \
                                 places<SOURCE>(srccount, srclist, srclen));                       \
  }                                                                                                \
  void bupc_##NAME##_ilist(std::size_t dstcount, TARGET const dstlist[], std::size_t dstlen,       \
                           std::size_t srccount, SOURCE const srclist[], std::size_t srclen) {     \
    upc_sync(bupc_##NAME##_ilist_async(dstcount, dstlist, dstlen, srccount, srclist, srclen));     \
  }                                                                                                \
  bupc_handle_t bupc_##NAME##_fstrided_async(                                                      \
      TARGET dst, std::size_t dstchunklen, std::size_t dststride, std::size_t dstchunks,           \
      SOURCE src, std::size_t srcchunklen, std::size_t srcstride, std::size_t srcchunks) {         \
    return start<TARGET, SOURCE>("bupc_" #NAME "_fstrided", upc_##NAME##_nb,                       \
                                 chunks<TARGET>(dst, dstchunklen, dststride, dstchunks),           \
                                 chunks<SOURCE>(src, srcchunklen, srcstride, srcchunks));          \
  }                                                                                                \
  void bupc_##NAME##_fstrided(TARGET dst, std::size_t dstchunklen, std::size_t dststride,          \
                              std::size_t dstchunks, SOURCE src, std::size_t srcchunklen,          \
                              std::size_t srcstride, std::size_t srcchunks) {                      \
    upc_sync(bupc_##NAME##_fstrided_async(dst, dstchunklen, dststride, dstchunks, src,             \
                                          srcchunklen, srcstride, srcchunks));                     \
  }                                                                                                \
  bupc_handle_t bupc_##NAME##_strided_async(TARGET dst, const std::size_t dststrides[],            \
                                            SOURCE src, const std::size_t srcstrides[],            \
                                            const std::size_t count[], std::size_t stridelevels) { \
    return start<TARGET, SOURCE>("bupc_" #NAME "_strided", upc_##NAME##_nb,                        \
                                 levels<TARGET>(dst, dststrides, count, stridelevels),             \
                                 levels<SOURCE>(src, srcstrides, count, stridelevels));            \
  }                                                                                                \
  void bupc_##NAME##_strided(TARGET dst, const std::size_t dststrides[], SOURCE src,               \
                             const std::size_t srcstrides[], const std::size_t count[],            \
                             std::size_t stridelevels) {                                           \
    upc_sync(bupc_##NAME##_strided_async(dst, dststrides, src, srcstrides, count, stridelevels));  \
  }
ATOLL_UPC_FOR_PIECES(ATOLL_UPC_DEFINE_PIECES)
