// SPDX-License-Identifier: BSD-3-Clause
//
// Where segments and processes are, by job rank: read from the primordial endpoint's routes, which
// were filled when segments were attached.
#include <gasnetex_identity.h>
#include <gasnetex_layout.h>
#include <atoll/base/text.hpp>
#include <atoll/core/job/runtime.hpp>
#include <front/gex/objects.hpp>

using namespace atl::gex;

namespace {

// The number of the table's entries to fill, at most one per rank; below 0 for a bad table or
// count.
int entries(const char* call, const void* table, int numentries) noexcept {
  const auto size = static_cast<int>(started(call).runtime->size());
  if (numentries < 0 || (table == nullptr && numentries > 0)) {
    complain(GASNET_ERR_BAD_ARG, call, atl::text("no table of ", numentries, " entries"));
    return -1;
  }
  return numentries < size ? numentries : size;
}

}  // namespace

int gasnet_getSegmentInfo(gasnet_seginfo_t* table, int numentries) {
  const int count = entries("gasnet_getSegmentInfo", table, numentries);
  if (count < 0) return GASNET_ERR_BAD_ARG;
  const atl::route* const rows = endpoint().bound().routes();
  for (int i = 0; i < count; ++i) {
    table[i] = {rows[i].base(), rows[i].bytes};
  }
  return GASNET_OK;
}

int gasnet_getNodeInfo(gasnet_nodeinfo_t* table, int numentries) {
  const int count = entries("gasnet_getNodeInfo", table, numentries);
  if (count < 0) return GASNET_ERR_BAD_ARG;
  const atl::route* const rows = endpoint().bound().routes();
  const atl::job_hosts& hosts = runtime().hosts();
  for (int i = 0; i < count; ++i) {
    const auto address = reinterpret_cast<uintptr_t>(rows[i].local);
    const bool mapped = rows[i].local != nullptr;
    const auto rank = static_cast<gex_Rank_t>(i);
    table[i] = {hosts.host_of(rank), hosts.neighbourhood_of(rank),
                mapped ? address - rows[i].remote() : 0};
  }
  return GASNET_OK;
}
