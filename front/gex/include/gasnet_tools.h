// SPDX-License-Identifier: BSD-3-Clause
//
// The GASNet tools on Atoll, version 1.20 of their public description: timers, memory fences,
// atomics, locks, thread-specific pointers, the environment, backtraces, facts about the machine.
// They need no client and no job, so a program may use this header alone (-DGASNETT_THREAD_SAFE or
// -DGASNETT_THREAD_SINGLE), or beside gasnetex.h, whose GASNET_SEQ, PARSYNC or PAR then decides.
// Both kinds of program link the one library. GASNETT_LITE_MODE leaves only what does not depend on
// threads. For C99 and C++; whatever is a macro or a function may become the other.
#ifndef GASNET_TOOLS_H
#define GASNET_TOOLS_H

#include "gasnettools_mode.h"

#include "gasnettools_annotation.h"
#include "gasnettools_fence.h"
#include "gasnettools_inner_names.h"
#include "gasnettools_system.h"
#include "gasnettools_timer.h"
#include "gasnettools_trace.h"

#ifndef GASNETT_LITE_MODE
#include "gasnettools_atomic.h"
#include "gasnettools_bytes.h"
#include "gasnettools_environment.h"
#include "gasnettools_failure.h"
#include "gasnettools_lock.h"
#include "gasnettools_threadkey.h"
#endif

#if ATOLL_TOOLS_CLIENT
#include "gasnettools_client.h"
#endif

#endif
