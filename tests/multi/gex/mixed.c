/* SPDX-License-Identifier: BSD-3-Clause

   A program of two files, this one compiled for SEQ and mixed_other.c for PAR: it must be refused
   at the start with both names. */
#include <gasnetex.h>

#include <stdio.h>

int compiled_for_another_mode(void);

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  if (gex_Client_Init(&client, &endpoint, &team, "MIXED", &argc, &argv, 0) != GASNET_OK) return 1;
  fprintf(stderr, "not refused: %d\n", compiled_for_another_mode());
  gasnet_exit(0);
}
