/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program for a debugger: gdb_test.py stops it in breakpoint and prints the pointers-to-shared of its caller. */

#include <upc.h>

shared [4] int blocked[8 * THREADS];
int threads_seen;

static void breakpoint(int thread) { threads_seen += thread; }

int main(void) {
  shared [4] int *next = &blocked[4 * ((MYTHREAD + 1) % THREADS) + 3];
  shared void *generic = next;
  shared [] int *null = 0;
  *next = 4000 + MYTHREAD;
  upc_barrier;
  breakpoint(MYTHREAD);
  upc_barrier;
  return null == 0 && generic == next && *next >= 4000 ? 0 : 1;
}
