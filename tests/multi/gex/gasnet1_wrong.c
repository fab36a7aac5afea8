/* SPDX-License-Identifier: BSD-3-Clause

   Mistakes with GASNet-1 that end the job with one message, each named on the command line. The
   line that prints at the end must never be reached.
 */
#include "gasnet1_client.h"

static int is_mistake(const char* argument, const char* name) {
  return strcmp(argument, name) == 0;
}

static void start_as_gasnet_ex(int* argc, char*** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Segment_t segment;
  CHECK(gex_Client_Init(&client, &endpoint, &team, "TEST", argc, argv, 0) == GASNET_OK);
  CHECK(gex_Segment_Attach(&segment, team, GASNET_PAGESIZE) == GASNET_OK);
  gasnet_put_val(0, gex_Segment_QueryAddr(segment), 1, 1);
}

int main(int argc, char** argv) {
  const char* const mistake = argc > 1 ? argv[1] : "";
  char byte = 0;
  if (is_mistake(mistake, "put-before-init")) gasnet_put(0, &byte, &byte, 1);
  if (is_mistake(mistake, "no-flag")) start_as_gasnet_ex(&argc, &argv);
  if (gasnet_init(&argc, &argv) != GASNET_OK) return 1;
  if (is_mistake(mistake, "put-before-attach")) gasnet_put(0, &byte, &byte, 1);
  if (is_mistake(mistake, "request-before-attach")) (void)gasnet_AMRequestShort0(0, 200);
  if (gasnet_attach(NULL, 0, 0, 0) != GASNET_OK) return 1;
  learn_segments();
  barrier();
  if (is_mistake(mistake, "put-outside")) {
    gasnet_put(0, memory_of(0) + GASNET_PAGESIZE, &byte, 1);
  }
  if (is_mistake(mistake, "long-value")) {
    (void)gasnet_wait_syncnb_valget(gasnet_get_nb_val(0, memory_of(0), 9));
  }
  if (is_mistake(mistake, "exit-11")) gasnet_exit(gasnet_mynode() == 0 ? 11 : 0);
  fprintf(stderr, "%s was not refused\n", mistake);
  finish();
  return 0;
}
