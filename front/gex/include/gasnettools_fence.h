// SPDX-License-Identifier: BSD-3-Clause
//
// Order among the memory accesses of one process. A write fence keeps what is written before it
// ahead of what is written after it; a read fence keeps reads in order; the full fence keeps
// everything, a write before it and a read after it included. Each also holds the compiler. They
// order ordinary loads and stores, and need both sides: the writer's write fence means nothing
// without the reader's read fence.
#ifndef GASNETTOOLS_FENCE_H
#define GASNETTOOLS_FENCE_H

#include "gasnettools_mode.h"

#define gasnett_compiler_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#define gasnett_local_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)
#define gasnett_local_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define gasnett_local_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)

/* The same, and nothing in a program of one thread. */
#if ATOLL_TOOLS_THREADS
#define gasnett_weak_wmb() gasnett_local_wmb()
#define gasnett_weak_rmb() gasnett_local_rmb()
#define gasnett_weak_mb() gasnett_local_mb()
#else
#define gasnett_weak_wmb() ((void)0)
#define gasnett_weak_rmb() ((void)0)
#define gasnett_weak_mb() ((void)0)
#endif

/* For the body of a loop that waits for memory to change. */
static inline void atoll_tools_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("isb" ::: "memory");
#endif
  gasnett_compiler_fence();
}
#define gasnett_spinloop_hint() atoll_tools_pause()

#endif
