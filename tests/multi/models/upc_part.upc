/* SPDX-License-Identifier: BSD-3-Clause
 *
 * UPC of a program of pairs of models, see pair_part.h. */
#include <bupc_collectivev.h>
#include <bupc_extensions.h>
#include <tests/multi/models/pair_part.h>
#include <upc_atomic.h>
#include <upc_nb.h>
#include <upc_relaxed.h>

shared [pair_words] int box[pair_words * THREADS];
shared void* shared adopted[THREADS]; /* the block of each thread */
static upc_atomicdomain_t* domain;

void upc_part_begin(void) {
  domain = upc_all_atomicdomain_alloc(UPC_INT, UPC_INC | UPC_GET, 0);
  upc_barrier;
}

int upc_part_rank(void) { return MYTHREAD; }
int upc_part_size(void) { return THREADS; }
int* upc_part_own(void) { return (int*)&box[MYTHREAD * pair_words]; }

void upc_part_start_put(int rank, int at, const int* source, int count) {
  upc_memput_nbi(&box[rank * pair_words + at], source, count * sizeof(int));
}

void upc_part_get(int rank, int at, int* target, int count) {
  upc_memget(target, &box[rank * pair_words + at], count * sizeof(int));
}

void upc_part_fence(void) {
  upc_synci();
  upc_fence;
}

void upc_part_sync(void) {
  upc_synci();
  upc_barrier 17;
}

void upc_part_notify(void) { upc_notify; }
void upc_part_wait(void) { upc_wait; }

int upc_part_sum(int value) { return bupc_allv_reduce_all(int, value, UPC_ADD); }

void upc_part_increase(void) { upc_atomic_strict(domain, 0, UPC_INC, &box[0], 0, 0); }

void upc_part_adopt(int* block) {
  adopted[MYTHREAD] = bupc_inverse_cast(block);
  upc_barrier;
}

static shared [] int* adopted_words(int rank, int at) {
  return (shared [] int*)adopted[rank] + at;
}

void upc_part_put_adopted(int rank, int at, const int* source, int count) {
  upc_memput(adopted_words(rank, at), source, count * sizeof(int));
}

void upc_part_get_adopted(int rank, int at, int* target, int count) {
  upc_fence;
  upc_memget(target, adopted_words(rank, at), count * sizeof(int));
}

void upc_part_increase_adopted(void) {
  upc_atomic_strict(domain, 0, UPC_INC, adopted_words(0, 0), 0, 0);
}
