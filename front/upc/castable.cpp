// SPDX-License-Identifier: BSD-3-Clause
//
// Castability (UPC optional library specification 1.3, 7.7): the heaps of a thread are mapped here
// as a whole, or not at all.
#include <upc_castable.h>

#include <front/upc/process_state.hpp>

using namespace atl;
using namespace atl::upc;

namespace {

bool reaches(const process_state& us, std::size_t thread) noexcept {
  return thread < us.size() && (thread == us.rank() || us.routes[thread].local != nullptr);
}

}  // namespace

void* upc_cast(atoll_upc_pointer ptr) {
  process_state& us = running("upc_cast");
  if (ptr.offset == 0 || !reaches(us, ptr.thread)) return nullptr;
  if (ptr.thread == us.rank()) return us.own_address(ptr.offset);
  return us.routes[ptr.thread].local + ptr.offset;
}

upc_thread_info_t upc_thread_info(std::size_t threadId) {
  const int regions = reaches(running("upc_thread_info"), threadId) ? UPC_CASTABLE_ALL : 0;
  return {regions, regions};
}
