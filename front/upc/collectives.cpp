// SPDX-License-Identifier: BSD-3-Clause
//
// Relocalization (UPC required library specification 1.3, 7.4.2), by the collectives of the core. A
// thread's blocks lie at the offset of the pointer in its own memory, so each gives the core its
// own address.
#include <upc_collective.h>

#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <front/upc/collective.hpp>

#include <atomic>

namespace atl::upc {

void collective_frame::refuse_within_barrier() const {
  refuse(call_, text("it is called between upc_notify and upc_wait", source_place()),
         "call collective functions before upc_notify or after upc_wait");
}

void collective_frame::need_thread_0(const char* name, atoll_upc_pointer p) const {
  if (p.thread == 0 && p.offset != 0) [[likely]]
    return;
  refuse(call_, text(name, " is ", text_of(p)), "let it point to an object on thread 0");
}

namespace {

// The thread of a pointer to one thread's data.
rank_id root_of(const char* call, const process_state& us, atoll_upc_pointer p) {
  if (p.thread < us.size() && p.offset != 0) [[likely]]
    return p.thread;
  refuse(call, text("the pointer is ", text_of(p)), "let it point to an object");
}

}  // namespace
}  // namespace atl::upc

using namespace atl;
using namespace atl::upc;

void upc_all_broadcast(atoll_upc_pointer dst, atoll_upc_pointer src, std::size_t nbytes,
                       upc_flag_t flags) {
  const collective_frame frame("upc_all_broadcast", flags);
  frame.need_thread_0("dst", dst);
  coll::broadcast(*frame.us().world, root_of("upc_all_broadcast", frame.us(), src),
                  frame.own_block(dst), frame.own_block(src), nbytes);
}

void upc_all_scatter(atoll_upc_pointer dst, atoll_upc_pointer src, std::size_t nbytes,
                     upc_flag_t flags) {
  const collective_frame frame("upc_all_scatter", flags);
  frame.need_thread_0("dst", dst);
  coll::scatter(*frame.us().world, root_of("upc_all_scatter", frame.us(), src),
                frame.own_block(dst), frame.own_block(src), nbytes);
}

void upc_all_gather(atoll_upc_pointer dst, atoll_upc_pointer src, std::size_t nbytes,
                    upc_flag_t flags) {
  const collective_frame frame("upc_all_gather", flags);
  frame.need_thread_0("src", src);
  coll::gather(*frame.us().world, root_of("upc_all_gather", frame.us(), dst), frame.own_block(dst),
               frame.own_block(src), nbytes);
}

void upc_all_gather_all(atoll_upc_pointer dst, atoll_upc_pointer src, std::size_t nbytes,
                        upc_flag_t flags) {
  const collective_frame frame("upc_all_gather_all", flags);
  frame.need_thread_0("dst", dst);
  frame.need_thread_0("src", src);
  coll::allgather(*frame.us().world, frame.own_block(dst), frame.own_block(src), nbytes);
}

void upc_all_exchange(atoll_upc_pointer dst, atoll_upc_pointer src, std::size_t nbytes,
                      upc_flag_t flags) {
  const collective_frame frame("upc_all_exchange", flags);
  frame.need_thread_0("dst", dst);
  frame.need_thread_0("src", src);
  coll::alltoall(*frame.us().world, frame.own_block(dst), frame.own_block(src), nbytes);
}

// One put per thread. The target's data may be written only once it has called, and is there only
// once the source has put it; so without NOSYNC both flags wait for all threads.
void upc_all_permute(atoll_upc_pointer dst, atoll_upc_pointer src, atoll_upc_pointer perm,
                     std::size_t nbytes, upc_flag_t flags) {
  const upc_flag_t in = (flags & UPC_IN_NOSYNC) != 0 ? UPC_IN_NOSYNC : UPC_IN_ALLSYNC;
  const upc_flag_t out = (flags & UPC_OUT_NOSYNC) != 0 ? UPC_OUT_NOSYNC : UPC_OUT_ALLSYNC;
  const collective_frame frame("upc_all_permute", in | out);
  frame.need_thread_0("dst", dst);
  frame.need_thread_0("src", src);
  frame.need_thread_0("perm", perm);
  const int target = *reinterpret_cast<const volatile int*>(frame.own_block(perm));
  if (target < 0 || static_cast<rank_id>(target) >= frame.us().size()) {
    refuse("upc_all_permute", text("perm[", frame.us().rank(), "] is ", target),
           text("let perm hold the numbers from 0 to ", frame.us().size() - 1));
  }
  const auto owner = static_cast<std::uint32_t>(target);
  atoll_upc_put({dst.offset, owner, 0}, frame.own_block(src), nbytes);
}
