/* SPDX-License-Identifier: BSD-3-Clause

   The loops of bench_upc, in UPC 1.3, so that other implementations can compile them too. Loops
   over arrays touch `count` elements, going around where an array is shorter; `plain` ones do the
   same on a private array in the same file with the same compiler. In loops between two threads
   thread 0 acts on thread 1, or on itself where it is alone. */
#ifndef ATOLL_BENCH_UPC_LOOPS_H
#define ATOLL_BENCH_UPC_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  upc_loop_elements = 1 << 16, /* of an array, of each thread */
  upc_loop_bytes_max = 1 << 20 /* of a transfer */
};

unsigned upc_loop_thread(void);
unsigned upc_loop_threads(void);
void upc_loop_barrier(void);

/* Returns thread 0's value on all threads. */
uint64_t upc_loop_agree(uint64_t value);

/* Whether all sums and counts were right; collective. */
int upc_loop_all_right(void);

/* a[i] = 2 * a[i] + 1 for the elements of this thread; collective. */
void plain_scale(uint64_t count);
void forall_scale(uint64_t count);         /* affinity &a[i], blocks of 4096 */
void forall_integer_scale(uint64_t count); /* affinity i, one element after the other */
void forall_shifted_scale(uint64_t count); /* affinity &a[i + 1], which the body reads */

/* The sum of elements of all threads. */
void plain_sum(uint64_t count);
void subscript_sum(uint64_t count); /* a[i], blocks of 4096 */
void pointer_sum(uint64_t count);   /* *p++, blocks of 4096 */
void cyclic_sum(uint64_t count);    /* a[i], blocks of 1 */
void cyclic_pointer_sum(uint64_t count);
void indefinite_sum(uint64_t count); /* p[i] with shared [] int* */
void local_sum(uint64_t count);      /* through a cast to int* */

/* The same in a random order of elements. */
void plain_random(uint64_t count);
void cyclic_random(uint64_t count);
void block_random(uint64_t count);
void odd_block_random(uint64_t count); /* blocks of 1000 */

/* Operations between two threads, or of all. */
void element_puts(uint64_t count);
void element_gets(uint64_t count);
void loop_reads(uint64_t count); /* elements of another thread, in a loop by subscript */
void loop_writes(uint64_t count);
void memget_reads(uint64_t count); /* the same by upc_memget and a private loop */
void local_random_reads(uint64_t count);
void strict_puts(uint64_t count);
void memputs(uint64_t count, size_t bytes);
void memgets(uint64_t count, size_t bytes);
void lock_pairs(uint64_t count); /* of a lock without contention */
void fetch_adds(uint64_t count);
void barriers(uint64_t count);
/* Collectives that synchronize all threads at entry and exit, or not at all. */
void broadcasts(uint64_t count, size_t bytes, int waits);
void all_reduces(uint64_t count, int waits);

#ifdef __cplusplus
}
#endif

#endif
