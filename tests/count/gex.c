/* SPDX-License-Identifier: BSD-3-Clause

   Puts and gets of 8 bytes by gasnetex.h to memory that is mapped here, in separate functions, in
   which count_test.py counts instructions. The loops have `words` transfers each, as in a program
   that moves a column of a matrix: they show any instruction beside the test of locality and bounds
   and the access. */
#include <gasnetex.h>
#include <stdint.h>
#include <stdlib.h>

enum { words = 64, times = 10000 };

__attribute__((noinline)) void counted_puts(gex_TM_t team, uint64_t* to, const uint64_t* from) {
  int i;
  for (i = 0; i < words; ++i) gex_RMA_PutNBI(team, 0, to + i, from + i, 8, GEX_EVENT_NOW, 0);
}

__attribute__((noinline)) void counted_gets(gex_TM_t team, uint64_t* to, uint64_t* from) {
  int i;
  for (i = 0; i < words; ++i) gex_RMA_GetNBI(team, to + i, 0, from + i, 8, 0);
}

int main(int argc, char** argv) {
  static uint64_t source[words], target[words];
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Segment_t segment;
  uint64_t* shared;
  uint64_t i, j;
  if (gex_Client_Init(&client, &endpoint, &team, "count", &argc, &argv, 0) != GASNET_OK) return 1;
  if (gex_Segment_Attach(&segment, team, 1 << 20) != GASNET_OK) return 1;
  shared = (uint64_t*)gex_Segment_QueryAddr(segment);
  for (i = 0; i < times; ++i) {
    for (j = 0; j < words; ++j) source[j] = i * j;
    counted_puts(team, shared, source);
    counted_gets(team, target, shared);
    for (j = 0; j < words; ++j) {
      if (target[j] != i * j) return 1;
    }
  }
  gasnet_exit(0);
  return 0;
}
