/* SPDX-License-Identifier: BSD-3-Clause

   Ways to end a job, and mistakes that end it: `shmem_exit_test WAY`. The test states the message
   of the launcher. Ways without an error end with 0. */
#include <shmem.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long symmetric;

static long a[16], b[16], work[SHMEM_REDUCE_SYNC_SIZE], space[SHMEM_REDUCE_MIN_WRKDATA_SIZE];

/* Correct calls, which no check may refuse: in place, of no elements, on a part of the PEs. */
static void use_collectives(void) {
  size_t me = (size_t)shmem_my_pe();
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, b, a, 4);
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, a, a, 4);
  shmem_long_sum_inscan(SHMEM_TEAM_WORLD, b, a, 0);
  shmem_broadcastmem(SHMEM_TEAM_WORLD, b, a, 8, 0);
  shmem_collectmem(SHMEM_TEAM_WORLD, b, a, 8 * me);
  shmem_alltoallmem(SHMEM_TEAM_WORLD, b, a, 8);
  shmem_long_alltoalls(SHMEM_TEAM_WORLD, b, a, 2, 1, 1);
  shmem_long_sum_to_all(b, a, 2, 0, 0, shmem_n_pes(), space, work);
  shmem_set_lock(&symmetric);
  shmem_clear_lock(&symmetric);
  shmem_barrier(0, 0, 1, work);
  if (me == 0) shmem_long_sum_to_all(b, a, 2, 0, 0, 1, space, work);
  shmem_long_wait_until(&symmetric, SHMEM_CMP_EQ, 0);
}

/* The handles of many teams and contexts are reused, and destroyed ones are refused, by inline code
   too. */
static void use_destroyed(const char* way) {
  shmem_ctx_t context;
  shmem_team_t team;
  int i;
  for (i = 0; i < 600; ++i) {
    if (shmem_ctx_create(0, &context) != 0) exit(3);
    shmem_ctx_long_p(context, &symmetric, 1, 0);
    shmem_ctx_destroy(context);
  }
  if (shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &team) != 0) exit(4);
  shmem_team_sync(team);
  shmem_team_destroy(team);
  if (strcmp(way, "destroyed_team") == 0) shmem_team_sync(team);
  if (strcmp(way, "destroyed_team_size") == 0) shmem_team_n_pes(team);
  shmem_ctx_long_p(context, &symmetric, 1, 0);
}

#ifdef EXIT_TEST_OTHER
long only_in_the_other_program[100] = {1}; /* so that this file becomes another program */
#endif

extern char** environ;

/* All PEs but the first go on as another program. */
static void become(char* program, char* way) {
  char** variable;
  for (variable = environ; *variable != NULL; ++variable) {
    if (strcmp(*variable, "ATOLL_RANK=0") == 0) return;
  }
  execl(program, program, way, (char*)NULL);
  perror(program);
  exit(1);
}

/* PEs of different programs share the heap, and no static variables. */
static int other_programs_are_apart(void) {
  const int me = shmem_my_pe();
  const int other = shmem_n_pes() - 1 - me;
  long* const own = shmem_calloc(1, sizeof *own);
  int is_right = shmem_addr_accessible(&symmetric, other) == 0;
  if (shmem_ptr(&symmetric, other) != NULL) is_right = 0;
  shmem_long_p(own, 10 + me, other);
  shmem_barrier_all();
  if (*own != 10 + other) is_right = 0;
  if (shmem_addr_accessible(&symmetric, me) == 0) is_right = 0;
  shmem_free(own);
  return is_right;
}

/* Each PE is in a different call when the last one ends the job. */
static void end_the_job_anywhere(void) {
  static long lock;
  volatile double number = 1;
  const int me = shmem_my_pe();
  if (me == 1) shmem_set_lock(&lock);
  shmem_barrier_all();
  if (me == 0) shmem_barrier_all();
  if (me == 1) shmem_long_wait_until(&symmetric, SHMEM_CMP_NE, 0);
  if (me == 2) shmem_set_lock(&lock);
  if (me == 3) sleep(600);
  while (me == 4) number *= 1.0000001;
  printf("the last words"); /* without an end of line, so they wait in the buffer */
  shmem_global_exit(9);
}

static void clear_a_lock_of_another(void) {
  if (shmem_my_pe() == 0) shmem_set_lock(&symmetric);
  shmem_barrier_all();
  if (shmem_my_pe() != 0) shmem_clear_lock(&symmetric);
  shmem_barrier_all();
}

static void reach_by_a_pointer_of_another(
    void) { /* PE 0's pointer, which others use as their own */
  static long* pointer;
  long* const own = shmem_malloc(sizeof *own);
  pointer = own;
  shmem_barrier_all();
  if (shmem_my_pe() != 0) shmem_getmem(&pointer, &pointer, sizeof pointer, 0);
  shmem_long_p(pointer, 1, 0);
  shmem_barrier_all();
}

static int names(const char* way, const char* name) { return strcmp(way, name) == 0; }

int main(int argc, char** argv) {
  char none[] = "";
  char* way = argc > 1 ? argv[1] : none;
  long automatic = 0;
  if (names(way, "before")) shmem_barrier_all();
  if (names(way, "start_pes")) {
    start_pes(0);
    start_pes(0);
    shmem_barrier_all();
    return _my_pe() < _num_pes() ? 0 : 1; /* ends implicitly */
  }
  if (argc > 2) become(argv[2], way);
  shmem_init();
  if (names(way, "implicit")) return 0;
  if (names(way, "programs") && !other_programs_are_apart()) return 1;
  if (names(way, "reach")) shmem_long_p(&symmetric, 1, shmem_n_pes() - 1 - shmem_my_pe());
  if (names(way, "tool")) { /* the tool has counted these calls when the program ends */
    int i;
    for (i = 0; i < 10; ++i) shmem_long_p(&symmetric, i, 0);
    shmem_free(shmem_malloc(8));
    for (i = 0; i < 3; ++i) shmem_barrier_all();
  }
  if (names(way, "global_exit")) {
    printf("PE %d says so\n", shmem_my_pe());
    if (shmem_my_pe() == shmem_n_pes() - 1) shmem_global_exit(7);
    shmem_barrier_all(); /* waits for ever */
    shmem_long_wait_until(&symmetric, SHMEM_CMP_NE, 0);
  }
  if (names(way, "anywhere")) end_the_job_anywhere();
  if (names(way, "address")) shmem_long_p(&automatic, 1, 0);
  if (names(way, "address_of_other")) reach_by_a_pointer_of_another();
  if (names(way, "pe")) shmem_long_p(&symmetric, 1, shmem_n_pes());
  if (names(way, "context")) shmem_ctx_long_p(SHMEM_CTX_INVALID, &symmetric, 1, 0);
  if (names(way, "team")) shmem_team_sync(SHMEM_TEAM_INVALID);
  if (names(way, "active_set")) shmem_barrier(0, 0, shmem_n_pes() + 1, &symmetric);
  if (strncmp(way, "destroyed_", 10) == 0) use_destroyed(way);
  if (names(way, "clear")) shmem_clear_lock(&symmetric);
  if (names(way, "clear_of_other")) clear_a_lock_of_another();
  if (names(way, "free")) shmem_free(&automatic);
  if (names(way, "comparison")) shmem_long_wait_until(&symmetric, 99, 0);
  if (names(way, "world")) shmem_team_destroy(SHMEM_TEAM_WORLD);
  if (names(way, "different")) shmem_malloc(shmem_my_pe() == 0 ? 64 : 128);
  if (names(way, "collectives")) { /* no mistake */
    use_collectives();
  }
  if (names(way, "sizes")) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, b, a, 1 + (size_t)shmem_my_pe());
  if (names(way, "roots")) shmem_broadcastmem(SHMEM_TEAM_WORLD, b, a, 8, shmem_my_pe());
  if (names(way, "calls")) {
    if (shmem_my_pe() == 0) shmem_fcollectmem(SHMEM_TEAM_WORLD, b, a, 8);
    if (shmem_my_pe() != 0) shmem_alltoallmem(SHMEM_TEAM_WORLD, b, a, 8);
  }
  if (names(way, "objects"))
    shmem_fcollectmem(SHMEM_TEAM_WORLD, shmem_my_pe() == 0 ? b : b + 2, a, 8);
  if (names(way, "overlap")) shmem_long_max_reduce(SHMEM_TEAM_WORLD, a + 1, a, 2);
  if (names(way, "private_source")) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, b, &automatic, 1);
  if (names(way, "work")) {
    work[0] = 77;
    shmem_barrier(0, 0, shmem_n_pes(), work);
  }
  if (names(way, "private_wait")) shmem_long_wait_until(&automatic, SHMEM_CMP_EQ, 0);
  shmem_finalize();
  if (names(way, "collectives")) shmem_finalize(); /* a second call: does nothing */
  return 0;
}
