// SPDX-License-Identifier: BSD-3-Clause
//
// Names of GASNet's inside that were never public and that clients use all the same, for timings
// and for what they print. They are the public tools under these names. Both gasnetex.h and
// gasnet_tools.h bring them, as GASNet's own headers do.
#ifndef GASNETTOOLS_INNER_NAMES_H
#define GASNETTOOLS_INNER_NAMES_H

#include "gasnettools_system.h"
#include "gasnettools_timer.h"

typedef gasnett_tick_t gasneti_tick_t;
#define GASNETI_TICK_MIN GASNETT_TICK_MIN
#define GASNETI_TICK_MAX GASNETT_TICK_MAX
#define gasneti_ticks_now() gasnett_ticks_now()
#define gasneti_ticks_to_ns(ticks) gasnett_ticks_to_ns(ticks)
#define gasneti_ticks_to_us(ticks) gasnett_ticks_to_us(ticks)
#define gasneti_nsleep(ns) gasnett_nsleep(ns)
#define gasneti_gethostname() gasnett_gethostname()
#define gasneti_cpu_count() gasnett_cpu_count()
#define gasneti_sched_yield() gasnett_sched_yield()
#define gasneti_flush_streams() gasnett_flush_streams()

#endif
