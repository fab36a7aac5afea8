// SPDX-License-Identifier: BSD-3-Clause
//
// Filling the table. The routes of a team are those of the job, at the distances of the team's
// ranks. When a rank is lost its route is closed in place, so inline code needs no other notice of
// that.
#include <front/coarray/access/direct_table.hpp>

#include <atoll_coarray/table.h>
#include <front/coarray/process_state.hpp>

#include <type_traits>

atoll_coarray_table atoll_coarray_direct = {};

namespace atl::coarray {

void fill_direct_table(const process_state* us) noexcept {
  atoll_coarray_direct = {};
  if (us == nullptr || us->heaps.inline_ranks() == 0) return;
  const rank_set& members = us->current->core->members();
  if (!members.is_progression()) return;
  const route* const routes = us->heaps.routes();
  atoll_coarray_direct.first_route = reinterpret_cast<const char*>(&routes[members.first()]);
  atoll_coarray_direct.route_stride =
      static_cast<std::ptrdiff_t>(members.stride()) * static_cast<std::ptrdiff_t>(sizeof(route));
  atoll_coarray_direct.heap_base = reinterpret_cast<char*>(us->heap_base);
  atoll_coarray_direct.images = members.size();
}

}  // namespace atl::coarray
