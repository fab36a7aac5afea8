// SPDX-License-Identifier: BSD-3-Clause
//
// Time as ticks: cheap to read, meaningful as differences within one process. Where the processor
// counts at a constant rate and the kernel itself trusts that counter, a tick is one count and
// reading it is one instruction; elsewhere a tick is a nanosecond of the monotonic clock. Which of
// the two is decided once, at the first reading. The rate is measured when ticks are first
// converted, over all the time that has gone by since the first reading (at least 10 ms).
#ifndef GASNETTOOLS_TIMER_H
#define GASNETTOOLS_TIMER_H

#include "gasnettools_mode.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t gasnett_tick_t;
#define GASNETT_TICK_MIN ((gasnett_tick_t)0)
#define GASNETT_TICK_MAX (~(gasnett_tick_t)0)

/* Nanoseconds per tick in units of 2^-32. `counts`: ticks are the processor's. Both are 0 until
   they are known and constant afterwards; atomic, but they order nothing. */
struct atoll_tools_clock {
  uint64_t ns_per_tick;
  uint32_t counts;
};
extern struct atoll_tools_clock atoll_tools_the_clock;

gasnett_tick_t atoll_tools_first_ticks(void);
uint64_t atoll_tools_ns_per_tick(void);

/* Ticks now. */
static inline gasnett_tick_t gasnett_ticks_now(void) {
#if defined(__x86_64__)
  if (__builtin_expect(__atomic_load_n(&atoll_tools_the_clock.counts, __ATOMIC_RELAXED) != 0, 1)) {
    return __builtin_ia32_rdtsc();
  }
#endif
  return atoll_tools_first_ticks();
}

/* Ticks in nanoseconds, rounded down; the first call may take 10 ms. */
static inline uint64_t gasnett_ticks_to_ns(gasnett_tick_t ticks) {
  uint64_t rate = __atomic_load_n(&atoll_tools_the_clock.ns_per_tick, __ATOMIC_RELAXED);
  if (__builtin_expect(rate == 0, 0)) rate = atoll_tools_ns_per_tick();
  /* (ticks * rate) >> 32 without a 128-bit product. */
  return (ticks >> 32) * rate + (((ticks & 0xffffffffu) * (rate >> 32))) +
         (((ticks & 0xffffffffu) * (rate & 0xffffffffu)) >> 32);
}

static inline uint64_t gasnett_ticks_to_us(gasnett_tick_t ticks) {
  return gasnett_ticks_to_ns(ticks) / 1000;
}

/* The mean distance of two readings that differ, and the cost of one, in microseconds; measured at
   the first call. */
double gasnett_tick_granularityus(void);
double gasnett_tick_overheadus(void);

/* Microseconds since 1970. */
uint64_t gasnett_gettimeofday_us(void);

/* Sleeps at least that long and returns 0; a signal ends it early, with -1 and errno EINTR. */
int gasnett_nsleep(uint64_t ns);

#define gasnett_tick_t gasnett_tick_t
#define gasnett_ticks_now() gasnett_ticks_now()
#define gasnett_ticks_to_ns(ticks) gasnett_ticks_to_ns(ticks)
#define gasnett_ticks_to_us(ticks) gasnett_ticks_to_us(ticks)
#define gasnett_tick_granularityus() gasnett_tick_granularityus()
#define gasnett_tick_overheadus() gasnett_tick_overheadus()
#define gasnett_gettimeofday_us() gasnett_gettimeofday_us()
#define gasnett_nsleep(ns) gasnett_nsleep(ns)

#ifdef __cplusplus
}
#endif

#endif
