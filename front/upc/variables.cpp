// SPDX-License-Identifier: BSD-3-Clause
//
// The variables that translated units read. The headers that declare them call those constant that
// the start sets once, so that compilers keep them in registers. Here they are defined under other
// names, to which the assembler gives the names of the headers. Until the start there is one
// thread, and no memory is direct.
#include <front/upc/variables.hpp>

#include <atoll_upc/control.h>
#include <front/upc/process_state.hpp>

#include <bit>
#include <cstddef>

extern "C" {
int upc_threads_set asm("atoll_upc_threads") = 1;
int upc_mythread_set asm("atoll_upc_mythread") = 0;
int upc_shift_set asm("atoll_upc_threads_shift") = 0;
std::uint32_t upc_mask_set asm("atoll_upc_threads_mask") = 0;
std::uint64_t upc_reciprocal_set asm("atoll_upc_threads_reciprocal") = ~std::uint64_t{0};
const atoll_route* upc_routes_set asm("atoll_upc_routes") = nullptr;
char* const* upc_bases_set asm("atoll_upc_bases") = nullptr;
std::size_t upc_places_set asm("atoll_upc_places") = 0;
}

int atoll_upc_unordered = 0;
unsigned atoll_upc_strict_loads = 0;
int atoll_upc_forall_depth = 0;
const char* atoll_upc_file = nullptr;
int atoll_upc_line = 0;

namespace atl::upc {

void set_variables(const process_state& us) noexcept {
  upc_threads_set = static_cast<int>(us.size());
  upc_mythread_set = static_cast<int>(us.rank());
  upc_mask_set = us.size() - 1;
  upc_shift_set = std::has_single_bit(us.size()) ? std::countr_zero(us.size()) : -1;
  upc_reciprocal_set = ~std::uint64_t{0} / us.size();
  upc_routes_set = us.routes.data();
  upc_bases_set = us.bases.data();
  upc_places_set = us.places;
}

}  // namespace atl::upc
