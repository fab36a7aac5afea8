// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of clients to the tracing and the statistics of a GASNet that was built with them. Here
// there is neither a trace file nor a mask. Text that a client prints into its trace goes to
// standard error when ATOLL_VERBOSE is 3; every other call is accepted and does nothing.
#ifndef GASNETTOOLS_TRACE_H
#define GASNETTOOLS_TRACE_H

#include "gasnettools_mode.h"

#ifdef __cplusplus
extern "C" {
#endif

int atoll_tools_trace_enabled(void);
void atoll_tools_trace_printf(const char* format, ...)
    __attribute__((__format__(__printf__, 1, 2)));

/* A name that Realm takes the address of. */
static inline void _gasnett_trace_printf_noop(const char* format, ...) { (void)format; }

#ifdef __cplusplus
}
#endif

#define GASNETT_TRACE_ENABLED (atoll_tools_trace_enabled())
#define GASNETT_TRACE_PRINTF atoll_tools_trace_printf
#define GASNETT_TRACE_PRINTF_FORCE atoll_tools_trace_printf
#define GASNETT_TRACE_GETMASK() ""
#define GASNETT_TRACE_SETMASK(mask) ((void)0)
#define GASNETT_TRACE_GET_TRACELOCAL() (0)
#define GASNETT_TRACE_SET_TRACELOCAL(enable) ((void)0)
#define GASNETT_TRACE_SETSOURCELINE(file, line) ((void)0)
#define GASNETT_TRACE_GETSOURCELINE(file_p, line_p) ((void)0)
#define GASNETT_TRACE_FREEZESOURCELINE() ((void)0)
#define GASNETT_TRACE_UNFREEZESOURCELINE() ((void)0)

#define GASNETT_STATS_INIT(callback) 0
#define GASNETT_STATS_GETMASK() ""
#define GASNETT_STATS_SETMASK(mask) ((void)0)
#define GASNETT_STATS_DUMP(reset) ((void)0)
#define GASNETT_STATS_PRINTF atoll_tools_trace_printf
#define GASNETT_STATS_PRINTF_FORCE atoll_tools_trace_printf

#endif
