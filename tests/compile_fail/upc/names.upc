// SPDX-License-Identifier: BSD-3-Clause
//
// Names that UPC has in a header that is not included, and names that nearly are its own.

shared int *pointer;
void names(void) {
  pointer = upc_all_alloc(1, 4);  // expect-error: 'upc_all_alloc' is not declared; #include <upc.h> // expect-error: only the constant 0
  upc_all_reduceI(0, 0, 0, 0, 0, 0, 0);  // expect-error: #include <upc_collective.h>
  upc_all_fwait_async(0);  // expect-error: #include <upc_io.h>
  upc_memgett(0, pointer, 4);     // expect-warning: did you mean 'upc_memget'?
  upc_of_mine(1);                 // expect-warning: it is no name of UPC
}
