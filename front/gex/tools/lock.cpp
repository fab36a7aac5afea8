// SPDX-License-Identifier: BSD-3-Clause
//
// Locks between threads: the system's, and who holds them. The owner is written by the thread that
// holds the lock and compared by others with themselves only, so relaxed accesses suffice: a thread
// sees itself as the owner exactly when it is. A static initializer of all zeros is what the C
// library's own initializers are on Linux, which a test checks.
#include <gasnettools_failure.h>
#include <gasnettools_lock.h>
#include <gasnettools_system.h>
#include <front/gex/context.hpp>

#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace {

static_assert(sizeof(pthread_mutex_t) <= sizeof gasnett_mutex_t{}.atoll_system);
static_assert(sizeof(pthread_cond_t) <= sizeof gasnett_cond_t{}.atoll_system);
static_assert(sizeof(pthread_rwlock_t) <= sizeof gasnett_rwlock_t{}.atoll_system);
static_assert(alignof(pthread_rwlock_t) <= alignof(gasnett_rwlock_t));

pthread_mutex_t* system_of(gasnett_mutex_t* mutex) noexcept {
  return reinterpret_cast<pthread_mutex_t*>(mutex->atoll_system);
}
pthread_cond_t* system_of(gasnett_cond_t* cond) noexcept {
  return reinterpret_cast<pthread_cond_t*>(cond->atoll_system);
}
pthread_rwlock_t* system_of(gasnett_rwlock_t* lock) noexcept {
  return reinterpret_cast<pthread_rwlock_t*>(lock->atoll_system);
}

/// A value that stands for this thread.
void* myself() noexcept { return reinterpret_cast<void*>(pthread_self()); }

void* load(void* const& owner) noexcept {
  return std::atomic_ref(const_cast<void*&>(owner)).load(std::memory_order_relaxed);
}
void store(void*& owner, void* value) noexcept {
  std::atomic_ref(owner).store(value, std::memory_order_relaxed);
}
uint32_t readers_of(const gasnett_rwlock_t* lock) noexcept {
  return std::atomic_ref(const_cast<uint32_t&>(lock->atoll_readers))
      .load(std::memory_order_relaxed);
}
// Relaxed: for the messages of misuse only; the lock itself orders what it guards.
void add_reader(gasnett_rwlock_t* lock, uint32_t change) noexcept {
  std::atomic_ref(lock->atoll_readers).fetch_add(change, std::memory_order_relaxed);
}

[[noreturn]] void refuse(const char* call, const char* reason) {
  gasnett_fatalerror_nopos("%s: %s", call, reason);
}

// For misuse that a lock can survive; GASNet checks for it in a debugging build alone.
void refuse_unless_tolerated(const char* call, const char* reason) {
  if (!atl::gex::tolerated(call, reason, "lock and unlock in pairs, in one thread"))
    refuse(call, reason);
}

/// The C library refuses only what is misuse.
void check(const char* call, int failure) {
  if (failure != 0) [[unlikely]]
    refuse(call, std::strerror(failure));
}

}  // namespace

// --- mutexes ---------------------------------------------------------------------------------

void atoll_tools_mutex_init(gasnett_mutex_t* mutex) {
  *mutex = GASNETT_MUTEX_INITIALIZER;
  check("gasnett_mutex_init", ::pthread_mutex_init(system_of(mutex), nullptr));
}

int atoll_tools_mutex_destroy(gasnett_mutex_t* mutex) {
  return ::pthread_mutex_destroy(system_of(mutex));
}

void atoll_tools_mutex_destroy_free(gasnett_mutex_t* mutex) {
  check("gasnett_mutex_destroy", atoll_tools_mutex_destroy(mutex));
}

void atoll_tools_mutex_lock(gasnett_mutex_t* mutex) {
  if (load(mutex->atoll_owner) == myself()) [[unlikely]] {
    refuse("gasnett_mutex_lock", "this thread holds the mutex already; take it once");
  }
  check("gasnett_mutex_lock", ::pthread_mutex_lock(system_of(mutex)));
  store(mutex->atoll_owner, myself());
}

int atoll_tools_mutex_trylock(gasnett_mutex_t* mutex) {
  if (load(mutex->atoll_owner) == myself()) [[unlikely]] {
    refuse("gasnett_mutex_trylock", "this thread holds the mutex already; take it once");
  }
  const int failure = ::pthread_mutex_trylock(system_of(mutex));
  if (failure == 0) store(mutex->atoll_owner, myself());
  return failure;
}

void atoll_tools_mutex_unlock(gasnett_mutex_t* mutex) {
  if (load(mutex->atoll_owner) != myself()) [[unlikely]] {
    refuse_unless_tolerated("gasnett_mutex_unlock", "this thread does not hold the mutex");
    if (load(mutex->atoll_owner) == nullptr) return;  // no thread holds it
  }
  store(mutex->atoll_owner, nullptr);
  check("gasnett_mutex_unlock", ::pthread_mutex_unlock(system_of(mutex)));
}

void atoll_tools_mutex_assert(const gasnett_mutex_t* mutex, int locked) {
  const bool is_owner = load(mutex->atoll_owner) == myself();
  if (locked != 0 && !is_owner) {
    refuse_unless_tolerated("gasnett_mutex_assertlocked", "this thread does not hold the mutex");
  }
  if (locked == 0 && is_owner) {
    refuse_unless_tolerated("gasnett_mutex_assertunlocked", "this thread holds the mutex");
  }
}

// --- condition variables ---------------------------------------------------------------------

void atoll_tools_cond_init(gasnett_cond_t* cond) {
  check("gasnett_cond_init", ::pthread_cond_init(system_of(cond), nullptr));
}
void atoll_tools_cond_destroy(gasnett_cond_t* cond) {
  check("gasnett_cond_destroy", ::pthread_cond_destroy(system_of(cond)));
}
void atoll_tools_cond_signal(gasnett_cond_t* cond) {
  check("gasnett_cond_signal", ::pthread_cond_signal(system_of(cond)));
}
void atoll_tools_cond_broadcast(gasnett_cond_t* cond) {
  check("gasnett_cond_broadcast", ::pthread_cond_broadcast(system_of(cond)));
}
void atoll_tools_cond_wait(gasnett_cond_t* cond, gasnett_mutex_t* mutex) {
  if (load(mutex->atoll_owner) != myself()) {
    refuse("gasnett_cond_wait", "this thread does not hold the mutex");
  }
  store(mutex->atoll_owner, nullptr);
  check("gasnett_cond_wait", ::pthread_cond_wait(system_of(cond), system_of(mutex)));
  store(mutex->atoll_owner, myself());
}

// --- reader-writer locks ---------------------------------------------------------------------

void atoll_tools_rwlock_init(gasnett_rwlock_t* lock) {
  *lock = GASNETT_RWLOCK_INITIALIZER;
  check("gasnett_rwlock_init", ::pthread_rwlock_init(system_of(lock), nullptr));
}

void atoll_tools_rwlock_destroy(gasnett_rwlock_t* lock) {
  if (load(lock->atoll_writer) != nullptr || readers_of(lock) != 0) {
    refuse("gasnett_rwlock_destroy", "the lock is held; release it first");
  }
  check("gasnett_rwlock_destroy", ::pthread_rwlock_destroy(system_of(lock)));
}

void atoll_tools_rwlock_rdlock(gasnett_rwlock_t* lock) {
  if (load(lock->atoll_writer) == myself()) {
    refuse("gasnett_rwlock_rdlock", "this thread holds the lock for writing already");
  }
  int failure = 0;
  // EAGAIN: the system cannot count one more reader; some will leave.
  while ((failure = ::pthread_rwlock_rdlock(system_of(lock))) == EAGAIN) gasnett_sched_yield();
  check("gasnett_rwlock_rdlock", failure);
  add_reader(lock, 1);
}

void atoll_tools_rwlock_wrlock(gasnett_rwlock_t* lock) {
  if (load(lock->atoll_writer) == myself()) {
    refuse("gasnett_rwlock_wrlock", "this thread holds the lock for writing already");
  }
  check("gasnett_rwlock_wrlock", ::pthread_rwlock_wrlock(system_of(lock)));
  store(lock->atoll_writer, myself());
}

int atoll_tools_rwlock_tryrdlock(gasnett_rwlock_t* lock) {
  const int failure = ::pthread_rwlock_tryrdlock(system_of(lock));
  if (failure == 0) add_reader(lock, 1);
  return failure;
}

int atoll_tools_rwlock_trywrlock(gasnett_rwlock_t* lock) {
  const int failure = ::pthread_rwlock_trywrlock(system_of(lock));
  if (failure == 0) store(lock->atoll_writer, myself());
  return failure;
}

void atoll_tools_rwlock_unlock(gasnett_rwlock_t* lock) {
  if (load(lock->atoll_writer) == myself()) {
    store(lock->atoll_writer, nullptr);
  } else if (readers_of(lock) == 0) {
    refuse("gasnett_rwlock_unlock", "this thread does not hold the lock");
  } else {
    add_reader(lock, ~uint32_t{0});
  }
  check("gasnett_rwlock_unlock", ::pthread_rwlock_unlock(system_of(lock)));
}

// Which threads read is not recorded, only how many.
void atoll_tools_rwlock_assert(const gasnett_rwlock_t* lock, int holds) {
  const bool writes = load(lock->atoll_writer) == myself();
  const bool somebody_reads = readers_of(lock) != 0;
  const bool holds_it = ((holds & ATOLL_TOOLS_HOLDS_WRITE) != 0 && writes) ||
                        ((holds & ATOLL_TOOLS_HOLDS_READ) != 0 && somebody_reads);
  if (holds == ATOLL_TOOLS_HOLDS_NONE && writes) {
    refuse_unless_tolerated("gasnett_rwlock_assertunlocked",
                            "this thread holds the lock for writing");
  }
  if (holds != ATOLL_TOOLS_HOLDS_NONE && !holds_it) {
    refuse_unless_tolerated("gasnett_rwlock_assertlocked", "this thread does not hold the lock so");
  }
}
