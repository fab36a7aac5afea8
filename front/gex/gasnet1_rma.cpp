// SPDX-License-Identifier: BSD-3-Clause
//
// Transfers that GASNet-1 has and GASNet-EX lacks: memset, and gets of a value by a handle. A
// memset of mapped memory is one; elsewhere it is a few puts of one filled buffer, gathered by an
// access region. Values that did not come at once wait in cells. A thread reuses its free cells, so
// it allocates only when more values are under way than ever before.
#include <gasnet1_rma.h>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <front/gex/context.hpp>
#include <front/gex/objects.hpp>
#include <front/gex/thread_memory.hpp>

#include <algorithm>
#include <array>
#include <cstring>

using namespace atl::gex;

namespace {

/// Sets memory of rank `node` that is mapped here; false when it is not mapped, or does not all
/// lie in the segment.
bool set_directly(gasnet_node_t node, void* dest, int value, size_t bytes) noexcept {
  const gex_TM_t team = atoll_gex_gasnet1_team;
  if (node >= team->size) return false;
  char* const address = atoll_route_find(team->routes + node, dest, bytes);
  if (address == nullptr) return false;
  ATOLL_ORDER();
  std::memset(address, value, bytes);
  ATOLL_ORDER();
  return true;
}

void set_by_puts(gasnet_node_t node, void* dest, int value, size_t bytes) noexcept {
  std::array<char, 4096> filled;
  std::memset(filled.data(), value, std::min(bytes, filled.size()));
  auto* to = static_cast<char*>(dest);
  while (bytes != 0) {
    const std::size_t now = std::min(bytes, filled.size());
    gasnet_put_nbi(node, to, filled.data(), now);
    to += now;
    bytes -= now;
  }
}

}  // namespace

atoll_gex_pending_value* atoll_gex_get_nb_val(gasnet_node_t node, void* src, size_t nbytes) {
  static constexpr const char* call = "gasnet_get_nb_val";
  check_rank(call, atoll_gex_gasnet1_team, node);
  if (nbytes == 0 || nbytes > sizeof(gex_RMA_Value_t)) {
    refuse(call, "the size is not 1 to 8 bytes", "get larger things into memory");
  }
  atoll_gex_pending_value* const cell = this_thread().cells.take();
  if (cell == nullptr) refuse(call, "no memory for one more value", "wait for some of them first");
  cell->value = 0;
  cell->event = gasnet_get_nb(ATOLL_GEX_LOW_BYTES(cell->value, nbytes), node, src, nbytes);
  return cell;
}

gex_RMA_Value_t atoll_gex_wait_nb_val(atoll_gex_pending_value* pending) {
  gex_Event_Wait(pending->event);
  const gex_RMA_Value_t value = pending->value;
  this_thread().cells.give(pending);
  return value;
}

gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void* dest, int value, size_t nbytes) {
  static constexpr const char* call = "gasnet_memset_nb";
  check_rank(call, atoll_gex_gasnet1_team, node);
  may_communicate(call);
  if (set_directly(node, dest, value, nbytes)) return GASNET_INVALID_HANDLE;
  if (atl::layer_access::implicit_operations(runtime()).in_region()) {
    // The client's own access region would gather these puts, so each is waited for here.
    std::array<char, 4096> filled;
    std::memset(filled.data(), value, std::min(nbytes, filled.size()));
    for (size_t done = 0; done < nbytes; done += filled.size()) {
      gasnet_put(node, static_cast<char*>(dest) + done, filled.data(),
                 std::min(nbytes - done, filled.size()));
    }
    return GASNET_INVALID_HANDLE;
  }
  gex_NBI_BeginAccessRegion(0);
  set_by_puts(node, dest, value, nbytes);
  return gex_NBI_EndAccessRegion(0);
}

void gasnet_memset_nbi(gasnet_node_t node, void* dest, int value, size_t nbytes) {
  static constexpr const char* call = "gasnet_memset_nbi";
  check_rank(call, atoll_gex_gasnet1_team, node);
  may_communicate(call);
  if (!set_directly(node, dest, value, nbytes)) set_by_puts(node, dest, value, nbytes);
}
