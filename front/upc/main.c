/* SPDX-License-Identifier: BSD-3-Clause

   The main of UPC programs, in libatoll_upc_start.a. It is alone in its member of the library, so a
   program that has a main of its own goes without, and calls bupc_init() itself. upcc adds an
   object with atoll_upc_shared_heap_bytes where it is told how much shared memory the program
   wants. */
#include <atoll_upc/program.h>

#include <stdlib.h>

extern const unsigned long long atoll_upc_shared_heap_bytes __attribute__((weak));

int main(int argc, char** argv) {
  if (&atoll_upc_shared_heap_bytes != NULL) {
    atoll_upc_want_shared_heap(atoll_upc_shared_heap_bytes);
  }
  exit(atoll_upc_start(argc, argv, atoll_upc_program));
}
