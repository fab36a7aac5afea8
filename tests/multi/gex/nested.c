/* SPDX-License-Identifier: BSD-3-Clause

   Ranks that start clients through system(): rank 0 starts a job of three, by a variable, and every
   rank starts a job of one. The argument "three" or "one" is the role of such a program. The outer
   job goes on between and after them.
 */
#include "client.h"

/* Runs this program again and returns its exit code. */
static int run(const char* prefix, const char* program, const char* role) {
  char command[4096];
  const int length = snprintf(command, sizeof command, "%s '%s' %s", prefix, program, role);
  CHECK(length > 0 && length < (int)sizeof command);
  return system(command);
}

int main(int argc, char** argv) {
  const char* const role = argc > 1 ? argv[1] : "outer";
  start_client(&argc, &argv, 1 << 16);
  if (strcmp(role, "three") == 0) CHECK(team_size == 3);
  if (strcmp(role, "one") == 0) CHECK(team_size == 1);
  *(uint64_t*)my_memory = 0;
  barrier();
  gex_RMA_PutBlockingVal(my_team, 0, memory_of(0), 7, 8, 0);
  barrier();
  CHECK(my_rank != 0 || *(uint64_t*)my_memory == 7);
  if (strcmp(role, "outer") == 0) {
    if (my_rank == 0) CHECK(run("env GASNET_PSHM_NODES=3", argv[0], "three") == 0);
    barrier();
    CHECK(run("env -u GASNET_PSHM_NODES", argv[0], "one") == 0);
    CHECK(run("env -u GASNET_PSHM_NODES", argv[0], "three 2>/dev/null") != 0);
  }
  finish_client();
}
