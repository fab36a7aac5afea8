/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared memory that a program allocates (7.2.2), the functions that copy and set it (7.2.5, 7.4.5 without handles),
 * pointers to other threads' memory (upc_castable.h) and clocks (upc_tick.h). */

#include <bupc_collectivev.h>
#include <string.h>
#include <unistd.h>
#include <upc_castable.h>
#include <upc_nb.h>
#include <upc_relaxed.h>
#include <upc_tick.h>

#include "checks.uph"

#define BLOCK 10

shared [BLOCK] int from[BLOCK * THREADS];
shared [BLOCK] int to[BLOCK * THREADS];
shared [] int* shared deposits[THREADS];
shared [BLOCK] double* shared published;
shared int* shared by_one[THREADS];

static int right, left;

static void collective_blocks_are_one_object(void) {
  for (int round = 1; round < 6; ++round) {
    shared [BLOCK] int* all = (shared [BLOCK] int*)upc_all_alloc(3 * THREADS, BLOCK * sizeof(int));
    CHECK(all != NULL);
    SAME(upc_threadof(all), 0);
    SAME(upc_phaseof(all), 0);
    int i;
    upc_forall (i = 0; i < 3 * BLOCK * THREADS; ++i; &all[i]) all[i] = round * i;
    upc_barrier;
    for (i = 0; i < 3 * BLOCK * THREADS; ++i) {
      SAME(upc_threadof(&all[i]), i / BLOCK % THREADS);
      SAME(all[i], round * i);
    }
    int* own = (int*)&all[BLOCK * MYTHREAD];
    CHECK(own + BLOCK == (int*)&all[BLOCK * (THREADS + MYTHREAD)]);
    upc_barrier;
    if (round % 2) upc_all_free(all);
    else if (MYTHREAD == THREADS - 1) upc_free(all);
    upc_barrier;
  }
  CHECK(upc_all_alloc(0, 5) == NULL);
  CHECK(upc_all_alloc(5, 0) == NULL);
}

/* Programs initialise a table, allocate another one, and write to parts of the first. */
static void no_thread_has_memory_before_all_ask(void) {
  to[BLOCK * MYTHREAD] = -1;
  upc_barrier;
  if (MYTHREAD == THREADS - 1) usleep(30000);
  to[BLOCK * MYTHREAD] = MYTHREAD;
  shared int* all = (shared int*)upc_all_alloc(THREADS, sizeof(int));
  for (int thread = 0; thread < THREADS; ++thread) SAME(to[BLOCK * thread], thread);
  upc_all_free(all);
}

static void each_caller_gets_its_own(void) {
  by_one[MYTHREAD] = (shared int*)upc_global_alloc(2 * THREADS, sizeof(int));
  CHECK(by_one[MYTHREAD] != NULL);
  SAME(upc_threadof(by_one[MYTHREAD]), 0);
  for (int i = 0; i < 2 * THREADS; ++i) by_one[MYTHREAD][i] = 1000 * MYTHREAD + i;
  upc_barrier;
  for (int thread = 0; thread < THREADS; ++thread)
    for (int i = 0; i < 2 * THREADS; ++i) SAME(by_one[thread][i], 1000 * thread + i);
  upc_barrier;
  upc_free(by_one[right]); /* any thread may free another's allocation */
  CHECK(upc_global_alloc(0, 8) == NULL);
  upc_barrier;
}

static void own_memory_is_local(void) {
  shared [] int* mine = (shared [] int*)upc_alloc(100 * sizeof(int));
  CHECK(mine != NULL);
  SAME(upc_threadof(mine), MYTHREAD);
  SAME(upc_phaseof(mine), 0);
  int* own = (int*)mine;
  for (int i = 0; i < 100; ++i) own[i] = MYTHREAD * i;
  deposits[MYTHREAD] = mine;
  upc_barrier;
  for (int i = 0; i < 100; ++i) SAME(deposits[right][i], right * i);
  upc_barrier;
  upc_free(deposits[left]);
  upc_free(NULL);
  upc_all_free(NULL);
  CHECK(upc_alloc(0) == NULL);
  upc_barrier;
}

/* Freed memory is reused: in all, far more than the heap holds is allocated. */
static void memory_is_used_again(void) {
  for (int round = 0; round < 300; ++round) {
    shared [] char* big = (shared [] char*)upc_alloc(8 << 20);
    CHECK(big != NULL);
    big[(8 << 20) - 1] = (char)round;
    upc_free(big);
  }
  for (int round = 0; round < 100; ++round) {
    shared char* all = (shared char*)upc_all_alloc(THREADS, 4 << 20);
    CHECK(all != NULL);
    upc_barrier;
    upc_all_free(all);
  }
}

static void blocks_are_copied(void) {
  int mine[BLOCK], got[BLOCK];
  for (int i = 0; i < BLOCK; ++i) mine[i] = 100 * MYTHREAD + i;
  upc_memput(&from[BLOCK * right], mine, sizeof mine);
  upc_barrier;
  upc_memget(got, &from[BLOCK * MYTHREAD], sizeof got);
  for (int i = 0; i < BLOCK; ++i) SAME(got[i], 100 * left + i);
  upc_memcpy(&to[BLOCK * left], &from[BLOCK * right], BLOCK * sizeof(int));
  upc_barrier;
  for (int i = 0; i < BLOCK; ++i) SAME(to[BLOCK * MYTHREAD + i], 100 * right + i);
  upc_memcpy(&to[BLOCK * MYTHREAD + 2], &from[BLOCK * MYTHREAD + 5], 3 * sizeof(int));
  for (int i = 0; i < 3; ++i) SAME(to[BLOCK * MYTHREAD + 2 + i], 100 * left + 5 + i);
  upc_barrier;
  upc_memset(&to[BLOCK * right], 0x101, BLOCK * sizeof(int));
  upc_barrier;
  for (int i = 0; i < BLOCK; ++i) SAME(to[BLOCK * MYTHREAD + i], 0x01010101);
  upc_memset(&to[BLOCK * MYTHREAD], 7, 0);
  upc_memput(&to[0], mine, 0);
  SAME(to[BLOCK * MYTHREAD], 0x01010101);
  upc_barrier;
}

/* Any number of bytes at any place. */
static void bytes_are_copied(void) {
  enum { size = 5000 };
  shared [size] unsigned char* bytes = (shared [size] unsigned char*)upc_all_alloc(THREADS, size);
  unsigned char pattern[size], back[size];
  for (int i = 0; i < size; ++i) pattern[i] = (unsigned char)(i * 7 + MYTHREAD);
  for (int round = 0; round < 50; ++round) {
    const int at = (int)random_below(size), count = (int)random_below(size - at);
    upc_memset(bytes + size * right, round, size);
    upc_memput(bytes + size * right + at, pattern + at, count);
    upc_memget(back, bytes + size * right, size);
    for (int i = 0; i < size; ++i)
      if (back[i] != (i >= at && i < at + count ? pattern[i] : (unsigned char)round)) {
        SAME(i, -1);
        break;
      }
    upc_barrier;
  }
  upc_all_free(bytes);
}

static void transfers_by_handles(void) {
  int mine[BLOCK], got[BLOCK] = {0};
  for (int i = 0; i < BLOCK; ++i) mine[i] = 7 * MYTHREAD + i;
  upc_handle_t put = upc_memput_nb(&from[BLOCK * right], mine, sizeof mine);
  upc_sync(put);
  SAME(from[BLOCK * right + 1], 7 * MYTHREAD + 1);
  mine[0] += 500;
  put = upc_memput_nb(&from[BLOCK * right], mine, sizeof(int));
  SAME(from[BLOCK * right + 2], 7 * MYTHREAD + 2); /* a neighbour of what is under way */
  upc_sync(put);
  SAME(from[BLOCK * right], 7 * MYTHREAD + 500);
  mine[0] -= 500;
  upc_sync(upc_memput_nb(&from[BLOCK * right], mine, sizeof(int)));
  upc_barrier;
  upc_handle_t get = upc_memget_nb(got, &from[BLOCK * MYTHREAD], sizeof got);
  while (!upc_sync_attempt(get)) continue;
  for (int i = 0; i < BLOCK; ++i) SAME(got[i], 7 * left + i);
  upc_handle_t copy = upc_memcpy_nb(&to[BLOCK * left], &from[BLOCK * right], BLOCK * sizeof(int));
  upc_sync(copy);
  upc_barrier;
  for (int i = 0; i < BLOCK; ++i) SAME(to[BLOCK * MYTHREAD + i], 7 * right + i);
  upc_barrier;
  upc_sync(upc_memset_nb(&to[BLOCK * right], 3, sizeof(int)));
  upc_barrier;
  SAME(to[BLOCK * MYTHREAD], 0x03030303);
  upc_sync(UPC_COMPLETE_HANDLE);
  CHECK(upc_sync_attempt(UPC_COMPLETE_HANDLE));
  const upc_handle_t none = UPC_COMPLETE_HANDLE;
  for (size_t i = 0; i < sizeof none; ++i) SAME(((const unsigned char*)&none)[i], 0);

  upc_barrier;
  for (int i = 0; i < BLOCK; ++i) mine[i] += 1000;
  for (int i = 0; i < BLOCK; ++i) upc_memput_nbi(&from[BLOCK * right + i], &mine[i], sizeof(int));
  upc_synci();
  upc_barrier;
  upc_memget_nbi(got, &from[BLOCK * MYTHREAD], sizeof got);
  while (!upc_synci_attempt()) continue;
  for (int i = 0; i < BLOCK; ++i) SAME(got[i], 1000 + 7 * left + i);
  upc_memcpy_nbi(&to[BLOCK * left], &from[BLOCK * right], BLOCK * sizeof(int));
  upc_synci();
  upc_barrier;
  for (int i = 0; i < BLOCK; ++i) SAME(to[BLOCK * MYTHREAD + i], 1000 + 7 * right + i);
  upc_barrier;
  upc_memset_nbi(&to[BLOCK * right + 1], 1, 4);
  upc_synci();
  upc_barrier;
  SAME(to[BLOCK * MYTHREAD + 1], 0x01010101);
  upc_barrier;
}

/* Memory that is castable can be read and written by the private pointer. */
static void memory_of_others_is_cast(void) {
  CHECK(upc_cast(NULL) == NULL);
  CHECK(upc_cast(&to[BLOCK * MYTHREAD + 3]) == (void*)&to[BLOCK * MYTHREAD + 3]);
  SAME(upc_thread_info(MYTHREAD).guaranteedCastable & UPC_CASTABLE_ALL, UPC_CASTABLE_ALL);
  SAME(UPC_CASTABLE_ALL & (UPC_CASTABLE_ALL_ALLOC | UPC_CASTABLE_GLOBAL_ALLOC | UPC_CASTABLE_ALLOC | UPC_CASTABLE_STATIC),
       UPC_CASTABLE_ALL_ALLOC | UPC_CASTABLE_GLOBAL_ALLOC | UPC_CASTABLE_ALLOC | UPC_CASTABLE_STATIC);
  int* theirs = (int*)upc_cast(&to[BLOCK * right + 4]);
  if (upc_thread_info(right).guaranteedCastable & UPC_CASTABLE_STATIC) CHECK(theirs != NULL);
  if (theirs != NULL) CHECK(bupc_inverse_cast(theirs) == &to[BLOCK * right + 4]);
  CHECK(bupc_inverse_cast((int*)&to[BLOCK * MYTHREAD + 3]) == &to[BLOCK * MYTHREAD + 3]);
  CHECK(bupc_inverse_cast(&theirs) == NULL && bupc_inverse_cast(NULL) == NULL);
  if (theirs != NULL) *theirs = 4321 + right;
  else to[BLOCK * right + 4] = 4321 + right;
  upc_barrier;
  SAME(to[BLOCK * MYTHREAD + 4], 4321 + MYTHREAD);
  deposits[MYTHREAD] = (shared [] int*)upc_alloc(sizeof(int));
  *deposits[MYTHREAD] = MYTHREAD;
  upc_barrier;
  theirs = (int*)upc_cast(deposits[right]);
  if (theirs != NULL) SAME(*theirs, right);
  upc_barrier;
  upc_free(deposits[MYTHREAD]);
}

static void clocks_go_on(void) {
  CHECK(UPC_TICK_MAX > UPC_TICK_MIN);
  const upc_tick_t start = upc_ticks_now();
  upc_tick_t last = start;
  for (int i = 0; i < 1000; ++i) {
    const upc_tick_t now = upc_ticks_now();
    CHECK(now >= last);
    last = now;
  }
  while (upc_ticks_to_ns(upc_ticks_now() - start) < 2000000) continue;
  CHECK(upc_ticks_to_ns(upc_ticks_now() - start) >= 2000000);
}

#ifndef __BERKELEY_UPC__
#error "the functions of Berkeley UPC are there, so its macro is"
#endif

static bupc_sem_t* shared full[THREADS];

/* Berkeley's functions as UPC declares them: semaphores, lists, values. */
static void extensions_know_shared_types(void) {
  bupc_smemvec_t pieces[2] = {{&to[BLOCK * right], sizeof(int)}, {&to[BLOCK * left + 1], sizeof(int)}};
  int words[2] = {MYTHREAD, 2 * MYTHREAD};
  bupc_pmemvec_t own = {words, sizeof words};
  shared const void* const places[] = {&to[BLOCK * MYTHREAD], &to[BLOCK * MYTHREAD + 1]};
  void* const target[] = {words};
  full[MYTHREAD] = bupc_sem_alloc(BUPC_SEM_INTEGER);
  upc_barrier;
  bupc_memput_vlist(2, pieces, 1, &own);
  bupc_sem_post(full[right]);
  bupc_sem_post(full[left]);
  bupc_sem_waitN(full[MYTHREAD], 2);
  bupc_waitsync(bupc_memget_ilist_async(1, target, sizeof words, 2, places, sizeof(int)));
  SAME(words[0], left);
  SAME(words[1], 2 * right);
  upc_barrier;
  bupc_sem_free(full[MYTHREAD]);

  SAME(bupc_allv_broadcast(int, MYTHREAD + 40, THREADS - 1), THREADS + 39);
  SAME(bupc_allv_reduce_all(long, MYTHREAD + 1, UPC_ADD), THREADS * (THREADS + 1) / 2);
  SAME(bupc_allv_reduce(unsigned char, MYTHREAD, 0, UPC_MAX), THREADS - 1);
  SAME((int)bupc_allv_prefix_reduce(double, MYTHREAD + 0.5, UPC_ADD), (MYTHREAD + 1) * (MYTHREAD + 1) / 2);
  SAME(bupc_allv_permute(short, MYTHREAD, right), left);
  int all[THREADS];
  CHECK(bupc_allv_gather_all(int, 3 * MYTHREAD, all) == all);
  for (int i = 0; i < THREADS; ++i) SAME(all[i], 3 * i);
  if (MYTHREAD == THREADS - 1)
    for (int i = 0; i < THREADS; ++i) all[i] = 7 * i;
  SAME(bupc_allv_scatter(int, THREADS - 1, all), 7 * MYTHREAD);
  memset(all, 0, sizeof all);
  bupc_allv_gather(int, MYTHREAD + 5, 0, all);
  for (int i = 0; i < THREADS; ++i) SAME(all[i], MYTHREAD == 0 ? i + 5 : 0);
  CHECK(bupc_assert_type(MYTHREAD, int) && !bupc_assert_type(size_t, int));
  static shared [10] int tens[10 * THREADS];
  static shared [10] int* tens_of[2];
  CHECK(bupc_assert_type(tens[0], shared [10] int) && !bupc_assert_type(tens[0], shared int));
  CHECK(bupc_assert_type(&tens[0], shared [10] int*) && !bupc_assert_type(&tens[0], shared [] int*));
  CHECK(bupc_assert_type(tens_of[1], &tens[3]) && !bupc_assert_type(tens_of, shared [5] int* [2]));
  upc_poll();
}

int main(void) {
  right = (MYTHREAD + 1) % THREADS;
  left = (MYTHREAD + THREADS - 1) % THREADS;
  collective_blocks_are_one_object();
  no_thread_has_memory_before_all_ask();
  each_caller_gets_its_own();
  own_memory_is_local();
  memory_is_used_again();
  blocks_are_copied();
  bytes_are_copied();
  transfers_by_handles();
  memory_of_others_is_cast();
  clocks_go_on();
  extensions_know_shared_types();
  return check_result();
}
