// SPDX-License-Identifier: BSD-3-Clause
//
// -w silences all warnings.
// options: -w

shared int sum, array[THREADS], *pointer;
shared char *bytes;
void loops(void) {
  int i;
  upc_forall (i = 0; i < THREADS; i++; &array[i]) sum += array[i];
  pointer = bytes;
}
