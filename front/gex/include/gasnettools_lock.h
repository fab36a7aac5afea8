// SPDX-License-Identifier: BSD-3-Clause
//
// Mutexes, condition variables and reader-writer locks between the threads of one process. They
// know their owner, so misuse is always found: taking one twice ends the program with a message;
// releasing one that is not held and failed assertions do so too where misuse is not tolerated
// (ATOLL_CHECKS). In a program of one thread they do nothing, unless it defines
// GASNETT_USE_TRUE_MUTEXES=1. Handlers must not take them: they take handler-safe locks. The types
// hide what is in them, because strict C99 has no names for it.
#ifndef GASNETTOOLS_LOCK_H
#define GASNETTOOLS_LOCK_H

#include "gasnettools_mode.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  uint64_t atoll_system[8];
  void* atoll_owner; /* of the thread that holds it; atomic */
} gasnett_mutex_t;

typedef struct {
  uint64_t atoll_system[8];
} gasnett_cond_t;

typedef struct {
  uint64_t atoll_system[12];
  void* atoll_writer;     /* the thread that writes; atomic */
  uint32_t atoll_readers; /* how many read; atomic */
} gasnett_rwlock_t;

#define GASNETT_MUTEX_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0}, 0}
#define GASNETT_COND_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0}}
#define GASNETT_RWLOCK_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0, 0}

void atoll_tools_mutex_init(gasnett_mutex_t* mutex);
int atoll_tools_mutex_destroy(gasnett_mutex_t* mutex);
void atoll_tools_mutex_destroy_free(gasnett_mutex_t* mutex);
void atoll_tools_mutex_lock(gasnett_mutex_t* mutex);
int atoll_tools_mutex_trylock(gasnett_mutex_t* mutex);
void atoll_tools_mutex_unlock(gasnett_mutex_t* mutex);
void atoll_tools_mutex_assert(const gasnett_mutex_t* mutex, int locked);

void atoll_tools_cond_init(gasnett_cond_t* cond);
void atoll_tools_cond_destroy(gasnett_cond_t* cond);
void atoll_tools_cond_wait(gasnett_cond_t* cond, gasnett_mutex_t* mutex);
void atoll_tools_cond_signal(gasnett_cond_t* cond);
void atoll_tools_cond_broadcast(gasnett_cond_t* cond);

void atoll_tools_rwlock_init(gasnett_rwlock_t* lock);
void atoll_tools_rwlock_destroy(gasnett_rwlock_t* lock);
void atoll_tools_rwlock_rdlock(gasnett_rwlock_t* lock);
void atoll_tools_rwlock_wrlock(gasnett_rwlock_t* lock);
int atoll_tools_rwlock_tryrdlock(gasnett_rwlock_t* lock);
int atoll_tools_rwlock_trywrlock(gasnett_rwlock_t* lock);
void atoll_tools_rwlock_unlock(gasnett_rwlock_t* lock);

/* The hold on a lock that an assertion expects of this thread. */
#define ATOLL_TOOLS_HOLDS_NONE 0
#define ATOLL_TOOLS_HOLDS_READ 1
#define ATOLL_TOOLS_HOLDS_WRITE 2
#define ATOLL_TOOLS_HOLDS_EITHER 3
void atoll_tools_rwlock_assert(const gasnett_rwlock_t* lock, int holds);

#if ATOLL_TOOLS_TRUE_LOCKS
#define ATOLL_TOOLS_LOCK(name, lock) atoll_tools_##name(lock)
#define ATOLL_TOOLS_TRY(name, lock) atoll_tools_##name(lock)
#define ATOLL_TOOLS_HOLDS(name, lock, hold) atoll_tools_##name(lock, hold)
#else
#define ATOLL_TOOLS_LOCK(name, lock) ((void)(lock))
#define ATOLL_TOOLS_TRY(name, lock) ((void)(lock), 0)
#define ATOLL_TOOLS_HOLDS(name, lock, hold) ((void)(lock))
#endif

#define gasnett_mutex_init(lock) atoll_tools_mutex_init(lock)
#define gasnett_mutex_destroy(lock) ATOLL_TOOLS_LOCK(mutex_destroy_free, lock)
#define gasnett_mutex_destroy_ignoreerr(lock) ATOLL_TOOLS_TRY(mutex_destroy, lock)
#define gasnett_mutex_lock(lock) ATOLL_TOOLS_LOCK(mutex_lock, lock)
#define gasnett_mutex_trylock(lock) ATOLL_TOOLS_TRY(mutex_trylock, lock)
#define gasnett_mutex_unlock(lock) ATOLL_TOOLS_LOCK(mutex_unlock, lock)
#define gasnett_mutex_assertlocked(lock) ATOLL_TOOLS_HOLDS(mutex_assert, lock, 1)
#define gasnett_mutex_assertunlocked(lock) ATOLL_TOOLS_HOLDS(mutex_assert, lock, 0)

#define gasnett_cond_init(cond) atoll_tools_cond_init(cond)
#define gasnett_cond_destroy(cond) ATOLL_TOOLS_LOCK(cond_destroy, cond)
/* Waits even in a program of one thread, which then waits forever. */
#define gasnett_cond_wait(cond, lock) atoll_tools_cond_wait(cond, lock)
#define gasnett_cond_signal(cond) ATOLL_TOOLS_LOCK(cond_signal, cond)
#define gasnett_cond_broadcast(cond) ATOLL_TOOLS_LOCK(cond_broadcast, cond)

#define gasnett_rwlock_init(lock) atoll_tools_rwlock_init(lock)
#define gasnett_rwlock_destroy(lock) ATOLL_TOOLS_LOCK(rwlock_destroy, lock)
#define gasnett_rwlock_rdlock(lock) ATOLL_TOOLS_LOCK(rwlock_rdlock, lock)
#define gasnett_rwlock_wrlock(lock) ATOLL_TOOLS_LOCK(rwlock_wrlock, lock)
#define gasnett_rwlock_tryrdlock(lock) ATOLL_TOOLS_TRY(rwlock_tryrdlock, lock)
#define gasnett_rwlock_trywrlock(lock) ATOLL_TOOLS_TRY(rwlock_trywrlock, lock)
#define gasnett_rwlock_unlock(lock) ATOLL_TOOLS_LOCK(rwlock_unlock, lock)
#define gasnett_rwlock_assertlocked(lock) \
  ATOLL_TOOLS_HOLDS(rwlock_assert, lock, ATOLL_TOOLS_HOLDS_EITHER)
#define gasnett_rwlock_assertrdlocked(lock) \
  ATOLL_TOOLS_HOLDS(rwlock_assert, lock, ATOLL_TOOLS_HOLDS_READ)
#define gasnett_rwlock_assertwrlocked(lock) \
  ATOLL_TOOLS_HOLDS(rwlock_assert, lock, ATOLL_TOOLS_HOLDS_WRITE)
#define gasnett_rwlock_assertunlocked(lock) \
  ATOLL_TOOLS_HOLDS(rwlock_assert, lock, ATOLL_TOOLS_HOLDS_NONE)

#ifdef __cplusplus
}
#endif

#endif
