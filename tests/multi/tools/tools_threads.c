/* SPDX-License-Identifier: BSD-3-Clause

   Atomics, locks and thread-specific pointers. The tests that need one thread run in every program;
   with GASNETT_THREAD_SAFE four threads then work on the same variables, and the thread sanitizer
   checks that the flags of an operation give the order that they promise. */
#include "checking.h"

#include <pthread.h>

enum { thread_count = 4, rounds = 2000 };

/* ---- one thread ----------------------------------------------------------------------------- */

#define CHECK_FAMILY(name, value, largest)                                        \
  do {                                                                            \
    name##_t counter = name##_init(10);                                           \
    CHECK(name##_read(&counter, 0) == 10);                                        \
    name##_set(&counter, 5, GASNETT_ATOMIC_REL);                                  \
    CHECK(name##_add(&counter, 3, 0) == 8);                                       \
    CHECK(name##_subtract(&counter, 10, GASNETT_ATOMIC_MB_PRE) == largest - 1);   \
    CHECK(name##_swap(&counter, 1, GASNETT_ATOMIC_MB_POST) == largest - 1);       \
    name##_increment(&counter, GASNETT_ATOMIC_NONE);                              \
    CHECK(!name##_decrement_and_test(&counter, GASNETT_ATOMIC_ACQ_IF_TRUE));      \
    CHECK(name##_decrement_and_test(&counter, GASNETT_ATOMIC_REL));               \
    name##_decrement(&counter, 0);                                                \
    CHECK(name##_read(&counter, GASNETT_ATOMIC_ACQ) == largest);                  \
    CHECK(!name##_compare_and_swap(&counter, 1, 2, GASNETT_ATOMIC_ACQ_IF_FALSE)); \
    CHECK(name##_compare_and_swap(&counter, largest, value, 0));                  \
    CHECK(name##_read(&counter, 0) == value);                                     \
  } while (0)

static void every_family_counts(void) {
  CHECK_FAMILY(gasnett_atomic, 77u, GASNETT_ATOMIC_MAX);
  CHECK_FAMILY(gasnett_atomic32, 0x80000001u, UINT32_MAX);
  CHECK_FAMILY(gasnett_atomic64, UINT64_C(0x8000000000000001), UINT64_MAX);
  CHECK_FAMILY(gasnett_strongatomic, 77u, GASNETT_ATOMIC_MAX);
  CHECK_FAMILY(gasnett_strongatomic32, 0x80000001u, UINT32_MAX);
  CHECK_FAMILY(gasnett_strongatomic64, UINT64_C(0x8000000000000001), UINT64_MAX);
}

static void counters_wrap_and_have_signs(void) {
  gasnett_atomic_t value = gasnett_atomic_init(GASNETT_ATOMIC_MAX);
  double number = 1.0;
  gasnett_atomic64_t* const bits = (gasnett_atomic64_t*)(void*)&number;
  gasnett_atomic_increment(&value, 0);
  CHECK(gasnett_atomic_read(&value, 0) == 0);
  gasnett_atomic_decrement(&value, 0);
  CHECK(gasnett_atomic_signed(gasnett_atomic_read(&value, 0)) == -1);
  gasnett_atomic_set(&value, GASNETT_ATOMIC_SIGNED_MIN, 0);
  CHECK(gasnett_atomic_signed(gasnett_atomic_read(&value, 0)) == GASNETT_ATOMIC_SIGNED_MIN);
  gasnett_atomic_decrement(&value, 0);
  CHECK(gasnett_atomic_signed(gasnett_atomic_read(&value, 0)) == GASNETT_ATOMIC_SIGNED_MAX);
  CHECK(sizeof(gasnett_atomic32_t) == 4 && sizeof(gasnett_atomic64_t) == 8);
  gasnett_atomic64_set(bits, gasnett_atomic64_read(bits, 0) | UINT64_C(1) << 63, 0);
  CHECK(number == -1.0);
}

GASNETT_THREADKEY_DECLARE(declared_key);
GASNETT_THREADKEY_DEFINE(declared_key);
GASNETT_THREADKEY_DEFINE(prepared_key);

static void a_key_starts_null_and_keeps_its_value(void) {
  int local = 0;
  CHECK(gasnett_threadkey_get(declared_key) == NULL);
  gasnett_threadkey_set(declared_key, &local);
  CHECK(gasnett_threadkey_get(declared_key) == &local);
  gasnett_threadkey_init(prepared_key);
  CHECK(gasnett_threadkey_get_noinit(prepared_key) == NULL);
  gasnett_threadkey_set_noinit(prepared_key, &local);
  gasnett_threadkey_init(prepared_key);
  CHECK(gasnett_threadkey_get_noinit(prepared_key) == &local);
  gasnett_threadkey_set(declared_key, NULL);
  gasnett_threadkey_set(prepared_key, NULL);
}

static void locks_are_taken_and_released(void) {
  gasnett_mutex_t mutex;
  gasnett_rwlock_t lock;
  gasnett_cond_t cond;
  gasnett_mutex_init(&mutex);
  gasnett_cond_init(&cond);
  gasnett_rwlock_init(&lock);
  gasnett_mutex_assertunlocked(&mutex);
  gasnett_mutex_lock(&mutex);
  gasnett_mutex_assertlocked(&mutex);
  gasnett_cond_signal(&cond);
  gasnett_cond_broadcast(&cond);
  gasnett_mutex_unlock(&mutex);
  CHECK(gasnett_mutex_trylock(&mutex) == 0);
  gasnett_mutex_unlock(&mutex);
  gasnett_rwlock_rdlock(&lock);
  gasnett_rwlock_assertrdlocked(&lock);
  gasnett_rwlock_assertlocked(&lock);
  gasnett_rwlock_unlock(&lock);
  CHECK(gasnett_rwlock_trywrlock(&lock) == 0);
  gasnett_rwlock_assertwrlocked(&lock);
  gasnett_rwlock_unlock(&lock);
  gasnett_rwlock_assertunlocked(&lock);
  gasnett_rwlock_destroy(&lock);
  gasnett_cond_destroy(&cond);
  CHECK(gasnett_mutex_destroy_ignoreerr(&mutex) == 0);
}

/* ---- several threads ------------------------------------------------------------------------ */

#ifdef GASNETT_THREAD_SAFE

static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static gasnett_cond_t arrived = GASNETT_COND_INITIALIZER;
static gasnett_rwlock_t table_lock = GASNETT_RWLOCK_INITIALIZER;
static int waiting;    /* guarded by mutex */
static unsigned phase; /* guarded by mutex */
static long table[2];  /* guarded by table_lock */
static gasnett_atomic_t counter = gasnett_atomic_init(0);
static gasnett_atomic32_t counter32 = gasnett_atomic32_init(0);
static gasnett_strongatomic64_t counter64 = gasnett_strongatomic64_init(0);
static gasnett_atomic_t spin = gasnett_atomic_init(0);
static long spun; /* guarded by spin */
static gasnett_atomic_t ball = gasnett_atomic_init(0);
static long carried; /* passed on with the ball */

static void meet(void) {
  gasnett_mutex_lock(&mutex);
  if (++waiting == thread_count) {
    waiting = 0;
    ++phase;
    gasnett_cond_broadcast(&arrived);
  } else {
    const unsigned own_phase = phase;
    while (own_phase == phase) gasnett_cond_wait(&arrived, &mutex);
  }
  gasnett_mutex_unlock(&mutex);
}

static void count(void) {
  uint64_t seen;
  gasnett_atomic_increment(&counter, 0);
  gasnett_atomic32_add(&counter32, 3, 0);
  do {
    seen = gasnett_strongatomic64_read(&counter64, 0);
  } while (!gasnett_strongatomic64_compare_and_swap(&counter64, seen, seen + 5, 0));
}

static void count_under_spin_lock(void) {
  while (!gasnett_atomic_compare_and_swap(&spin, 0, 1, GASNETT_ATOMIC_ACQ_IF_TRUE)) {
    gasnett_spinloop_hint();
    gasnett_sched_yield();
  }
  ++spun;
  gasnett_atomic_set(&spin, 0, GASNETT_ATOMIC_REL);
}

static void read_or_write(int round) {
  if (round % 8 == 0) {
    gasnett_rwlock_wrlock(&table_lock);
    ++table[0];
    ++table[1];
  } else {
    gasnett_rwlock_rdlock(&table_lock);
    CHECK(table[0] == table[1]);
  }
  gasnett_rwlock_unlock(&table_lock);
}

/* Threads pass a number on in turn; only the flags order the accesses. */
static void hand_on(unsigned me, unsigned round) {
  const unsigned turn = round * thread_count + me;
  while (gasnett_atomic_read(&ball, GASNETT_ATOMIC_ACQ) != turn) gasnett_sched_yield();
  ++carried;
  gasnett_atomic_increment(&ball, GASNETT_ATOMIC_REL);
}

static void* run_thread(void* argument) {
  const unsigned me = (unsigned)(uintptr_t)argument;
  int round;
  a_key_starts_null_and_keeps_its_value();
  meet();
  for (round = 0; round < rounds; ++round) {
    count();
    count_under_spin_lock();
    read_or_write(round);
    if (round % 10 == 0) hand_on(me, (unsigned)round / 10);
    if (round % 100 == 0) meet();
  }
  return NULL;
}

static void threads_lose_nothing(void) {
  pthread_t threads[thread_count];
  uintptr_t i;
  for (i = 0; i < thread_count; ++i) {
    CHECK(pthread_create(&threads[i], NULL, run_thread, (void*)i) == 0);
  }
  for (i = 0; i < thread_count; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(gasnett_atomic_read(&counter, 0) == thread_count * rounds);
  CHECK(gasnett_atomic32_read(&counter32, 0) == 3 * thread_count * rounds);
  CHECK(gasnett_strongatomic64_read(&counter64, 0) == 5 * thread_count * rounds);
  CHECK(spun == thread_count * rounds && carried == thread_count * (rounds / 10));
  CHECK(table[0] == thread_count * (rounds / 8));
}

static void* try_all(void* argument) {
  (void)argument;
  CHECK(gasnett_mutex_trylock(&mutex) == EBUSY);
  CHECK(gasnett_rwlock_tryrdlock(&table_lock) == EBUSY);
  CHECK(gasnett_rwlock_trywrlock(&table_lock) == EBUSY);
  return NULL;
}

static void what_is_held_is_refused_to_others(void) {
  pthread_t other;
  gasnett_mutex_lock(&mutex);
  gasnett_rwlock_wrlock(&table_lock);
  CHECK(pthread_create(&other, NULL, try_all, NULL) == 0);
  CHECK(pthread_join(other, NULL) == 0);
  gasnett_rwlock_unlock(&table_lock);
  gasnett_mutex_unlock(&mutex);
}

#else

static void threads_lose_nothing(void) {}
static void what_is_held_is_refused_to_others(void) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* the zeros that static locks start as */
  const char zeros[sizeof mutex] = {0};
  CHECK(memcmp(&mutex, zeros, sizeof mutex) == 0);
}

#endif

int main(void) {
  every_family_counts();
  counters_wrap_and_have_signs();
  a_key_starts_null_and_keeps_its_value();
  locks_are_taken_and_released();
  threads_lose_nothing();
  what_is_held_is_refused_to_others();
  return 0;
}
