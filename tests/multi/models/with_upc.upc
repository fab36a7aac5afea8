/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One program of UPC, UPC++, GASNet-EX and, where it is linked, MPI: all write objects of UPC, in turns, and UPC reads
 * what the others have written. UPC++ ends and begins again meanwhile, unless the argument names it. */

#include <stdio.h>
#include <stdlib.h>
#include <tests/multi/models/with_upc.h>
#include <upc_relaxed.h>

shared long box[THREADS], other[THREADS];
static int right, left;

#define REQUIRE(condition) require((condition) ? 1 : 0, #condition, __LINE__)
static void require(int holds, const char* condition, int line) {
  if (holds) return;
  fprintf(stderr, "thread %d, line %d: not so: %s\n", MYTHREAD, line, condition);
  upc_global_exit(9);
}

/* Writes of UPC++ are complete at its barrier, those of UPC at a barrier of UPC; a fence drops a thread's cached copies
 * of others' objects. */
static void upcxx_writes(int round) {
  box[right] = 10 * round + MYTHREAD;
  upc_barrier;
  REQUIRE(box[MYTHREAD] == 10 * round + left);
  upc_barrier;
  put_by_upcxx((long*)&box[MYTHREAD], 100 * round + MYTHREAD);
  upc_fence;
  REQUIRE(box[MYTHREAD] == 100 * round + left);
  REQUIRE(box[right] == 100 * round + MYTHREAD);
  shared [] long* mine = (shared [] long*)upc_alloc(sizeof(long));
  put_by_upcxx((long*)mine, 7 * round + MYTHREAD);
  REQUIRE(*mine == 7 * round + left);
  upc_barrier;
  upc_free(mine);
}

static void mpi_writes(int round) {
  box[MYTHREAD] = 1000 * round + MYTHREAD;
  REQUIRE(sum_by_mpi(box[MYTHREAD]) == 1000L * round * THREADS + THREADS * (THREADS - 1L) / 2);
  shift_by_mpi((const long*)&box[MYTHREAD], (long*)&other[MYTHREAD]);
  REQUIRE(other[MYTHREAD] == 1000 * round + left);
  upc_barrier;
  REQUIRE(other[right] == 1000 * round + MYTHREAD);
  upc_barrier;
}

int run_with_models(const char* letters) {
  right = (MYTHREAD + 1) % THREADS;
  left = (MYTHREAD + THREADS - 1) % THREADS;
  long calls = 0;
  begin_models(letters);
  const int has_mpi = check_models(MYTHREAD, THREADS);
  for (int round = 1; round <= 3; ++round) {
    begin_upcxx();
    check_models(MYTHREAD, THREADS);
    upcxx_writes(round);
    calls += round + left;
    REQUIRE(call_by_upcxx(round + MYTHREAD) == calls);
    REQUIRE(send_by_gex(5 * round + MYTHREAD) == 5 * round + left);
    if (has_mpi) mpi_writes(round);
    end_upcxx();
    REQUIRE(send_by_gex(6 * round + MYTHREAD) == 6 * round + left);
    upc_barrier;
  }
  end_models();
  box[right] = MYTHREAD;
  upc_barrier;
  REQUIRE(box[MYTHREAD] == left);
  printf("rank %d of %d: done\n", MYTHREAD, THREADS);
  return 0;
}
