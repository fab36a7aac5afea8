/* SPDX-License-Identifier: BSD-3-Clause

   Sets THREADS, as the start of a program does, and runs the test of pointer arithmetic. It defines
   the library's variables itself, since this test links no library. */
#include <stdint.h>
#include <stdlib.h>

int atoll_upc_threads;
int atoll_upc_mythread;
int atoll_upc_threads_shift;
uint32_t atoll_upc_threads_mask;
uint64_t atoll_upc_threads_reciprocal;

int check_arithmetic(void);

int main(int count, char** words) {
  atoll_upc_threads = count > 1 ? atoi(words[1]) : 1;
  const uint32_t threads = (uint32_t)atoll_upc_threads;
  atoll_upc_threads_mask = threads - 1;
  atoll_upc_threads_shift = (threads & (threads - 1)) == 0 ? __builtin_ctz(threads) : -1;
  atoll_upc_threads_reciprocal = UINT64_MAX / (uint64_t)atoll_upc_threads;
  return check_arithmetic();
}
