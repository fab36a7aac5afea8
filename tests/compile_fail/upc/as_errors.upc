// SPDX-License-Identifier: BSD-3-Clause
//
// -Werror makes errors of warnings; -Wno-error=NAME and -Wno-NAME take one back.
// options: -Werror -Wno-error=upc-race -Wno-upc-forall

shared int sum, array[THREADS], *pointer;
shared char *bytes;
void loops(void) {
  int i;
  upc_forall (i = 0; i < THREADS; i++; &array[i]) sum += array[i];  // expect-warning: all threads update sum
  upc_forall (i = 0; i < THREADS; i++; &array[i]) break;
  pointer = bytes;  // expect-error: [-Werror,-Wincompatible-pointer-types]
}
