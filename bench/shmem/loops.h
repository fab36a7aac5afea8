/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loops of bench_shmem, in C with OpenSHMEM 1.4, so that the same source measures Atoll and
 * other implementations. In a loop PE 0 acts, PE 1 is acted upon and further PEs are idle; a job of
 * one PE plays both parts. Collective calls are made by all. teams.c has the calls that need
 * OpenSHMEM 1.5; active_sets.c replaces it for older libraries.
 *
 * One thread of each PE calls these functions, except osh_context_puts. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  osh_transfer_max = 1 << 20,   /* bytes of a put or a get */
  osh_collective_max = 1 << 16, /* bytes of a broadcast or a sum */
  osh_in_flight = 64,           /* puts before a quiet */
  osh_contexts_max = 64
};

/* Starts the library, for several threads if `threads` is not 0. Collective. Returns 0, or 1 where
 * there is no memory or no such level of threads. */
int osh_join(int threads);
void osh_leave(void);
unsigned osh_rank(void);
unsigned osh_ranks(void);
const char* osh_library(void);
void osh_barrier(void);
void osh_abort(void);

/* Returns PE 0's value on all PEs. */
uint64_t osh_agree(uint64_t value);

/* Whether the target has all that the loops have put and counted; collective.
 */
int osh_all_right(void);

/* The same operations on the target's memory by plain instructions, where PE 0 has it mapped;
 * collective. */
int osh_target_is_mapped(void);
void osh_plain_store(uint64_t count);
void osh_plain_load(uint64_t count);
void osh_plain_fetch_add(uint64_t count);

/* Operations of 8 bytes, from or to memory of the symmetric heap or a static variable. */
void osh_p(uint64_t count);
void osh_p_static(uint64_t count);
void osh_g(uint64_t count);
void osh_g_static(uint64_t count);
void osh_fetch_add(uint64_t count);
void osh_add(uint64_t count);
void osh_compare_swap(uint64_t count);
void osh_quiet(uint64_t count);
void osh_fence(uint64_t count);
void osh_p_quiet(uint64_t count);

/* Transfers of a size that the compiler does not know. */
void osh_put(uint64_t count, size_t bytes);
void osh_get(uint64_t count, size_t bytes);
void osh_put_flood(uint64_t count, size_t bytes);
void osh_get_flood(uint64_t count, size_t bytes);

/* Round trips: p and wait_until, and data with a flag after them. */
void osh_p_round_trips(uint64_t count);
void osh_signal_round_trips(uint64_t count, size_t bytes);

/* The nanoseconds, in all, from a p until the PE that has waited two milliseconds for it goes on;
 * counted on PE 0. Of many, only four are done, and their mean stands for the others. */
double osh_wake_ups(uint64_t count);

void osh_barriers(uint64_t count);
void osh_syncs(uint64_t count);
void osh_broadcasts(uint64_t count, size_t bytes);
void osh_sums(uint64_t count, size_t bytes);
void osh_alltoalls(uint64_t count, size_t bytes);

/* Makes a private context for each of `count` threads. Returns 0, or 1 where one cannot be made. */
int osh_make_contexts(unsigned count);
/* Puts of 8 bytes by thread `thread` through its context. */
void osh_context_puts(unsigned thread, uint64_t count);

/* Words, and a flag that the target sees after them. */
struct osh_message {
  uint64_t* target;
  const uint64_t* source;
  size_t words;
  uint64_t* flag;
};

/* Defined in teams.c or active_sets.c. */
void osh_put_with_flag(const struct osh_message* message, uint64_t value, int pe);
void osh_broadcast(uint64_t* target, const uint64_t* source, size_t words, unsigned turn);
void osh_sum(double* target, double* source, size_t count, unsigned turn);
void osh_alltoall(uint64_t* target, const uint64_t* source, size_t words, unsigned turn);
enum { osh_turns = 8 }; /* `turn` is below this; all PEs meet before it begins again at 0 */

#ifdef __cplusplus
}
#endif
