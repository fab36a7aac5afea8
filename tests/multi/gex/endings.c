/* SPDX-License-Identifier: BSD-3-Clause

   Ends without an error. "last-words": every rank says its last line and exits, each later than the
   one before and without a barrier; all lines must come out. "alone": rank 0 exits while the others
   work on for ever; the job must still end with code 0. "return": all return from main().
 */
#include "client.h"

#include <time.h>

static void wait_ms(long ms) {
  const clock_t begin = clock();
  while ((clock() - begin) * 1000 / CLOCKS_PER_SEC < ms) gasnet_AMPoll();
}

static void at_exit(void) {
  barrier();
  printf("the last words of rank %u\n", (unsigned)my_rank);
}

int main(int argc, char** argv) {
  const char* const ending = argc > 1 ? argv[1] : "";
  start_client(&argc, &argv, 1 << 16);
  if (strcmp(ending, "last-words") == 0) wait_ms(20 * (long)my_rank);
  if (strcmp(ending, "alone") == 0 && my_rank != 0) {
    for (;;) gasnet_AMPoll();
  }
  if (strcmp(ending, "return") == 0) return atexit(at_exit);
  printf("the last words of rank %u\n", (unsigned)my_rank);
  gasnet_exit(0);
}
