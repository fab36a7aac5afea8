// SPDX-License-Identifier: BSD-3-Clause
//
// A UPC++ program that meets at barriers and talks to nobody. A few of its ranks tell their private
// memory.
#include <tests/count/private_memory.h>
#include <upcxx/upcxx.hpp>

int main() {
  upcxx::init();
  upcxx::barrier();
  if (upcxx::rank_me() % (upcxx::rank_n() / 16) == 1) tell_private_memory();
  upcxx::barrier();
  upcxx::finalize();
  return 0;
}
