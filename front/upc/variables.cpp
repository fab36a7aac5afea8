// SPDX-License-Identifier: BSD-3-Clause
//
// The variables that translated units read, and that the start of a program sets. Their headers
// (atoll_upc/) call some of them constant, so that compilers keep them in registers; this file,
// which defines them, includes none of those headers. Before the start there is one thread.
#include <front/upc/variables.hpp>

int atoll_upc_threads = 1;
int atoll_upc_mythread = 0;
std::uint64_t atoll_upc_threads_reciprocal = ~std::uint64_t{0};
