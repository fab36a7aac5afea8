// SPDX-License-Identifier: BSD-3-Clause
//
// The machine, the process and its streams. Nothing here is for data paths, except the yield.
#ifndef GASNETTOOLS_SYSTEM_H
#define GASNETTOOLS_SYSTEM_H

#include "gasnettools_mode.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the machine ---------------------------------------------------------------------------- */

/* Processors that this machine, or the control group that we are in, lets run at the same time. */
int gasnett_cpu_count(void);

/* Bytes of memory of the machine; 0 where unknown, unless that is to be fatal. */
uint64_t gasnett_getPhysMemSz(int failure_is_fatal);

int gasnett_isLittleEndian(void);
/* In lower case. */
const char* gasnett_gethostname(void);

/* ---- the process ---------------------------------------------------------------------------- */

/* The full path of the running program; empty where unknown. */
const char* gasnett_exe_name(void);

/* Keeps the calling thread on one processor: the one of this number, modulo their count, among
   those that the process was allowed to use at its first call. 0 on success. */
#define GASNETT_SET_AFFINITY_SUPPORT 1
int gasnett_set_affinity(int rank);

void gasnett_sched_yield(void);

/* Raises soft limits of processor time, data, stack, resident and address space to the hard ones,
   except those whose variable GASNET_MAXIMIZE_<name> says no. Returns nonzero when none failed. */
int gasnett_maximize_rlimits(void);
int gasnett_maximize_rlimit(int resource, const char* name);

/* ---- standard streams ----------------------------------------------------------------------- */

/* Errors are ignored. After closing, the streams still exist and what they get is dropped. */
void gasnett_flush_streams(void);
void gasnett_close_streams(void);

/* ---- the library ---------------------------------------------------------------------------- */

/* The settings that make this run slow on purpose, a line each; empty when there is none. */
const char* gasnett_performance_warning_str(void);

/* The release whose interface this is: "2025.8.0", and 2025080000. */
const char* gasnett_release_version_str(void);
uint64_t gasnett_release_version(void);

#define gasnett_cpu_count gasnett_cpu_count
#define gasnett_getPhysMemSz gasnett_getPhysMemSz
#define gasnett_isLittleEndian gasnett_isLittleEndian
#define gasnett_gethostname gasnett_gethostname
#define gasnett_exe_name gasnett_exe_name
#define gasnett_set_affinity gasnett_set_affinity
#define gasnett_sched_yield gasnett_sched_yield
#define gasnett_maximize_rlimits gasnett_maximize_rlimits
#define gasnett_maximize_rlimit gasnett_maximize_rlimit
#define gasnett_flush_streams gasnett_flush_streams
#define gasnett_close_streams gasnett_close_streams
#define gasnett_performance_warning_str gasnett_performance_warning_str
#define gasnett_release_version_str gasnett_release_version_str
#define gasnett_release_version gasnett_release_version

#ifdef __cplusplus
}
#endif

#endif
