/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One program of UPC, UPC++, GASNet-EX and, where it is linked, MPI: all write objects of UPC, in turns, and UPC reads
 * what the others have written. UPC++ ends and begins again meanwhile, unless the argument names it. */

#include <stdio.h>
#include <stdlib.h>
#include <tests/multi/models/with_upc.h>
#include <upc_nb.h>
#include <upc_relaxed.h>

enum { row_bytes = 1 << 20, words = row_bytes / sizeof(long), distance = 64 };

shared long box[THREADS], other[THREADS];
shared [words] long rows[words * THREADS];
static long sent[words], received[words];
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

static int is_filled(const long* row, long value) {
  for (int i = 0; i < words; ++i) {
    if (row[i] != value) return 0;
  }
  return 1;
}

static void fill(long* row, long value) {
  for (int i = 0; i < words; ++i) row[i] = value;
}

/* While a region of GASNet-EX is open, a fence and upc_synci wait for UPC's transfers as ever, and the region has none of
 * them. */
static void gex_region_is_open(int round) {
  shared [] long* const target = (shared [] long*)&rows[right * words];
  begin_gex_region();
  box[right] = 3 * round + MYTHREAD;
  upc_fence;
  REQUIRE(!end_gex_region());
  begin_gex_region();
  for (int i = 0; i < words; i += distance) target[i] = i + round;
  upc_fence;
  REQUIRE(!end_gex_region());
  upc_barrier;
  REQUIRE(box[MYTHREAD] == 3 * round + left);
  for (int i = 0; i < words; i += distance) REQUIRE(rows[MYTHREAD * words + i] == i + round);
  upc_barrier;

  fill(sent, 5 * round + MYTHREAD);
  begin_gex_region();
  upc_memput_nbi(target, sent, row_bytes);
  upc_synci();
  fill(sent, -1);
  REQUIRE(!end_gex_region());
  upc_barrier;
  REQUIRE(is_filled((long*)&rows[MYTHREAD * words], 5 * round + left));
  begin_gex_region();
  upc_memget_nbi(received, target, row_bytes);
  if (round % 2 == 0) upc_synci();
  while (round % 2 != 0 && !upc_synci_attempt()) continue;
  REQUIRE(is_filled(received, 5 * round + MYTHREAD));
  REQUIRE(!end_gex_region());
  upc_barrier;
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
    gex_region_is_open(round);
    if (has_mpi) mpi_writes(round);
    end_upcxx();
    REQUIRE(send_by_gex(6 * round + MYTHREAD) == 6 * round + left);
    upc_barrier;
  }
  end_models();
  box[right] = MYTHREAD;
  upc_barrier;
  REQUIRE(box[MYTHREAD] == left);
  upc_memput_nbi(&rows[right * words], sent, row_bytes); /* without upc_synci: the program's end waits for it */
  printf("rank %d of %d: done\n", MYTHREAD, THREADS);
  return 0;
}
