/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The loops that loops.h describes. Numbers of PE 0 go to `places` words in turn, so that the check
 * at the end can find missing ones. After each operation of 8 bytes the compiler must assume that
 * memory was read, because it may otherwise join inlined puts to one place. */
#include <bench/shmem/loops.h>

#include <shmem.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { places = 64, lines = 8, flood_bytes = 4 << 20, naps_max = 4 };
static const long nap_ns = 2000000;

/* Each PE has these in the symmetric heap. Each flag has a line of its own. */
struct words {
  uint64_t put[places];
  unsigned long counters[places]; /* an older library has no atomics of uint64_t */
  unsigned long swapped[places];
  uint64_t flag[lines];
  uint64_t signal[lines];
  int64_t woken[lines];
  uint64_t agreed[lines];
  uint64_t by_thread[osh_contexts_max][places];
};

static struct words* words;
static char* area;        /* flood_bytes, symmetric */
static char* plain;       /* the same size, private */
static uint64_t* message; /* osh_collective_max for each PE, symmetric; `result` too */
static uint64_t* result;
static uint64_t in_static_memory[places];
static shmem_ctx_t contexts[osh_contexts_max];

static int rank, ranks, target;
static uint64_t last_put, last_static_put, counted, swapped, flags_sent, signals_sent, wakes;
static int wrong_sums;
static uint64_t put_by_thread[osh_contexts_max];

static void hold(void) { __asm__ volatile("" ::: "memory"); }

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int allocate(void) {
  const size_t bytes = (size_t)osh_collective_max * (size_t)ranks;
  words = shmem_align(64, sizeof *words);
  area = shmem_align(4096, flood_bytes);
  message = shmem_align(64, bytes);
  result = shmem_align(64, bytes);
  plain = calloc(1, flood_bytes);
  if (words == NULL || area == NULL || message == NULL || result == NULL || plain == NULL) return 1;
  memset(words, 0, sizeof *words);
  memset(area, 0, flood_bytes);
  double* const ones = (double*)message;
  for (size_t i = 0; i < bytes / sizeof *ones; ++i) ones[i] = 1;
  memset(result, 0, bytes);
  return 0;
}

int osh_join(int threads) {
  const int wanted = threads != 0 ? SHMEM_THREAD_MULTIPLE : SHMEM_THREAD_SINGLE;
  int provided = 0;
  if (shmem_init_thread(wanted, &provided) != 0 || provided < wanted) return 1;
  rank = shmem_my_pe();
  ranks = shmem_n_pes();
  target = ranks == 1 ? 0 : 1;
  const int status = allocate();
  shmem_barrier_all();
  return status;
}

/* Ends without shmem_finalize, in which Open MPI 4.1 crashes. */
void osh_leave(void) {
  shmem_barrier_all();
  shmem_global_exit(0);
}

void osh_abort(void) { shmem_global_exit(1); }
unsigned osh_rank(void) { return (unsigned)rank; }
unsigned osh_ranks(void) { return (unsigned)ranks; }
void osh_barrier(void) { shmem_barrier_all(); }

const char* osh_library(void) {
  static char name[SHMEM_MAX_NAME_LEN];
  shmem_info_get_name(name);
  return name;
}

uint64_t osh_agree(uint64_t value) {
  shmem_barrier_all();
  if (rank == 0) {
    for (int pe = 0; pe < ranks; ++pe) shmem_uint64_p(&words->agreed[0], value, pe);
  }
  shmem_barrier_all();
  return words->agreed[0];
}

/* The last of `count` numbers that went to a place in turn, 0 where there was none. */
static uint64_t last_of(uint64_t count, uint64_t place) {
  return count <= place ? 0 : count - 1 - (count - 1 - place) % places + 1;
}

/* Puts to one place without a fence may arrive in any order, but stores arrive in program order.
 * Where puts are not stores, a place must hold any of its own numbers. */
static int puts_are_right(const uint64_t* found, uint64_t count) {
  const int in_order = shmem_ptr(found, target) != NULL;
  for (uint64_t i = 0; i < places; ++i) {
    const uint64_t number = shmem_uint64_g(found + i, target);
    const uint64_t last = last_of(count, i);
    if (in_order ? number != last : number > last || (last - number) % places != 0) return 0;
  }
  return 1;
}

int osh_all_right(void) {
  int right = wrong_sums == 0;
  shmem_barrier_all();
  if (rank == 0) {
    uint64_t sum = 0, swaps = 0;
    for (int i = 0; i < places; ++i) {
      sum += shmem_ulong_g(&words->counters[i], target);
      swaps += shmem_ulong_g(&words->swapped[i], target);
    }
    right &= sum == counted && swaps == swapped && puts_are_right(words->put, last_put) &&
             puts_are_right(in_static_memory, last_static_put);
    for (int thread = 0; thread < osh_contexts_max; ++thread) {
      right &= puts_are_right(words->by_thread[thread], put_by_thread[thread]);
    }
  }
  shmem_barrier_all();
  return right;
}

int osh_target_is_mapped(void) { return osh_agree(shmem_ptr(words, target) != NULL ? 1 : 0) != 0; }

/* The loops keep their numbers in local variables, since `hold` forces global ones to be written
 * and read again in every turn. */
void osh_plain_store(uint64_t count) {
  if (rank != 0) return;
  uint64_t* const to = shmem_ptr(words->put, target);
  const uint64_t end = last_put + count;
  for (uint64_t number = last_put; number < end; ++number) {
    to[number % places] = number + 1;
    hold();
  }
  last_put = end;
}

void osh_plain_load(uint64_t count) {
  if (rank != 0) return;
  const uint64_t* const from = shmem_ptr(words->put, target);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    sum += from[i % places];
    hold();
  }
  __asm__ volatile("" ::"r"(sum));
}

void osh_plain_fetch_add(uint64_t count) {
  if (rank != 0) return;
  unsigned long* const to = shmem_ptr(words->counters, target);
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i)
    sum += __atomic_fetch_add(to + i % places, 1, __ATOMIC_RELAXED);
  __asm__ volatile("" ::"r"(sum));
  counted += count;
}

void osh_p(uint64_t count) {
  if (rank != 0) return;
  uint64_t* const to = words->put;
  const uint64_t end = last_put + count;
  const int pe = target;
  for (uint64_t number = last_put; number < end; ++number) {
    shmem_uint64_p(&to[number % places], number + 1, pe);
    hold();
  }
  last_put = end;
  shmem_quiet();
}

void osh_p_static(uint64_t count) {
  if (rank != 0) return;
  const uint64_t end = last_static_put + count;
  const int pe = target;
  for (uint64_t number = last_static_put; number < end; ++number) {
    shmem_uint64_p(&in_static_memory[number % places], number + 1, pe);
    hold();
  }
  last_static_put = end;
  shmem_quiet();
}

static void get_words(const uint64_t* from, uint64_t count) {
  const int pe = target;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    sum += shmem_uint64_g(from + i % places, pe);
    hold();
  }
  __asm__ volatile("" ::"r"(sum));
}

void osh_g(uint64_t count) {
  if (rank == 0) get_words(words->put, count);
}

void osh_g_static(uint64_t count) {
  if (rank == 0) get_words(in_static_memory, count);
}

void osh_fetch_add(uint64_t count) {
  if (rank != 0) return;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    sum += shmem_ulong_atomic_fetch_add(&words->counters[i % places], 1, target);
  }
  __asm__ volatile("" ::"r"(sum));
  counted += count;
}

void osh_add(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i)
    shmem_ulong_atomic_add(&words->counters[i % places], 1, target);
  shmem_quiet();
  counted += count;
}

/* Every one of these swaps succeeds: a place holds the count of all swaps there. */
void osh_compare_swap(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i, ++swapped) {
    const unsigned long before = swapped / places;
    shmem_ulong_atomic_compare_swap(&words->swapped[swapped % places], before, before + 1, target);
  }
}

void osh_quiet(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) shmem_quiet();
}

void osh_fence(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    shmem_fence();
    hold();
  }
}

void osh_p_quiet(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i, ++last_put) {
    shmem_uint64_p(&words->put[last_put % places], last_put + 1, target);
    shmem_quiet();
  }
}

void osh_put(uint64_t count, size_t bytes) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    shmem_putmem(area, plain, bytes, target);
    shmem_quiet();
  }
}

void osh_get(uint64_t count, size_t bytes) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) shmem_getmem(plain, area, bytes, target);
}

/* Floods walk through the areas, one place after another. */
static size_t place_of(uint64_t i, size_t bytes) {
  return (size_t)(i % (flood_bytes / bytes)) * bytes;
}

void osh_put_flood(uint64_t count, size_t bytes) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    const size_t place = place_of(i, bytes);
    shmem_putmem_nbi(area + place, plain + place, bytes, target);
    if (i % osh_in_flight == osh_in_flight - 1) shmem_quiet();
  }
  shmem_quiet();
}

void osh_get_flood(uint64_t count, size_t bytes) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    const size_t place = place_of(i, bytes);
    shmem_getmem_nbi(plain + place, area + place, bytes, target);
    if (i % osh_in_flight == osh_in_flight - 1) shmem_quiet();
  }
  shmem_quiet();
}

void osh_p_round_trips(uint64_t count) {
  if (rank > 1) return;
  for (uint64_t i = 0; i < count; ++i) {
    ++flags_sent;
    if (rank == 0) shmem_uint64_p(&words->flag[0], flags_sent, target);
    if (target == 1) {
      shmem_uint64_wait_until(&words->flag[0], SHMEM_CMP_GE, flags_sent);
      if (rank == 1) shmem_uint64_p(&words->flag[0], flags_sent, 0);
    }
  }
}

void osh_signal_round_trips(uint64_t count, size_t bytes) {
  if (rank > 1) return;
  const struct osh_message sent = {.target = (uint64_t*)area,
                                   .source = (const uint64_t*)plain,
                                   .words = bytes / 8,
                                   .flag = words->signal};
  for (uint64_t i = 0; i < count; ++i) {
    ++signals_sent;
    if (rank == 0) osh_put_with_flag(&sent, signals_sent, target);
    if (target == 1) {
      shmem_uint64_wait_until(&words->signal[0], SHMEM_CMP_GE, signals_sent);
      if (rank == 1) osh_put_with_flag(&sent, signals_sent, 0);
    }
  }
}

double osh_wake_ups(uint64_t count) {
  const uint64_t naps = count < naps_max ? count : naps_max;
  double total_ns = 0;
  if (rank > 1) return 0;
  for (uint64_t i = 0; i < naps; ++i) {
    const struct timespec nap = {0, nap_ns};
    int64_t begun_ns = 0;
    const uint64_t flag = ++wakes;
    if (rank == 0) {
      nanosleep(&nap, NULL);
      words->woken[0] = 0;
      begun_ns = now_ns();
      shmem_uint64_p(&words->flag[1], flag, target);
    }
    if (rank == target) {
      shmem_uint64_wait_until(&words->flag[1], SHMEM_CMP_GE, flag);
      shmem_int64_p(&words->woken[0], now_ns(), 0);
    }
    if (rank == 0) {
      shmem_int64_wait_until(&words->woken[0], SHMEM_CMP_NE, 0);
      total_ns += (double)(words->woken[0] - begun_ns);
    }
  }
  return total_ns / (double)naps * (double)count;
}

void osh_barriers(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) shmem_barrier_all();
}

void osh_syncs(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) shmem_sync_all();
}

static unsigned turn_of(uint64_t i) {
  const unsigned turn = (unsigned)(i % osh_turns);
  if (turn == 0) shmem_sync_all();
  return turn;
}

void osh_broadcasts(uint64_t count, size_t bytes) {
  for (uint64_t i = 0; i < count; ++i) osh_broadcast(result, message, bytes / 8, turn_of(i));
  shmem_sync_all();
}

void osh_sums(uint64_t count, size_t bytes) {
  double* const to = (double*)result;
  for (uint64_t i = 0; i < count; ++i) osh_sum(to, (double*)message, bytes / 8, turn_of(i));
  shmem_sync_all();
  if (count != 0 && to[bytes / 8 - 1] != ranks) wrong_sums = 1;
}

void osh_alltoalls(uint64_t count, size_t bytes) {
  for (uint64_t i = 0; i < count; ++i) osh_alltoall(result, message, bytes / 8, turn_of(i));
  shmem_sync_all();
}

int osh_make_contexts(unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &contexts[i]) != 0) return 1;
  }
  return 0;
}

void osh_context_puts(unsigned thread, uint64_t count) {
  const shmem_ctx_t context = contexts[thread];
  uint64_t source[places];
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t number = put_by_thread[thread] + i;
    source[number % places] = number + 1;
    shmem_ctx_uint64_put_nbi(context, &words->by_thread[thread][number % places],
                             &source[number % places], 1, target);
    if (number % places == places - 1) shmem_ctx_quiet(context);
  }
  shmem_ctx_quiet(context);
  put_by_thread[thread] += count;
}
