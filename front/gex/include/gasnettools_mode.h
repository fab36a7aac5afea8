// SPDX-License-Identifier: BSD-3-Clause
//
// The kind of the file that includes gasnet_tools.h: one of a program with or without threads, and
// with or without GASNet-EX; and the versions and names that programs print and compare. Here
// nothing has to be chosen when linking, so these decide only what the macros of the other headers
// are.
#ifndef GASNETTOOLS_MODE_H
#define GASNETTOOLS_MODE_H

#include "gasnet_config.h"
#include "gasnet_portable_platform.h"
#include "gasnetex_identity.h"
#include "gasnettools_expected.h"

/* ---- threads -------------------------------------------------------------------------------- */

#if defined(GASNETT_LITE_MODE) + defined(GASNETT_THREAD_SAFE) + defined(GASNETT_THREAD_SINGLE) > 1
#error "define at most one of GASNETT_THREAD_SAFE, GASNETT_THREAD_SINGLE, GASNETT_LITE_MODE"
#endif
#if defined(GASNETT_THREAD_SAFE) && (defined(GASNET_SEQ) || defined(GASNET_PARSYNC))
#error "GASNETT_THREAD_SAFE contradicts GASNET_SEQ and GASNET_PARSYNC"
#endif
#if defined(GASNETT_THREAD_SINGLE) && defined(GASNET_PAR)
#error "GASNETT_THREAD_SINGLE contradicts GASNET_PAR"
#endif

/* Whether this is a file of a GASNet-EX client. */
#if defined(GASNET_SEQ) || defined(GASNET_PARSYNC) || defined(GASNET_PAR)
#define ATOLL_TOOLS_CLIENT 1
#else
#define ATOLL_TOOLS_CLIENT 0
#endif

/* A program that defines none of these has threads if its compiler was told so (-pthread), or if
   pthread.h came first. */
#if defined(GASNETT_LITE_MODE)
#undef GASNETT_LITE_MODE
#define GASNETT_LITE_MODE 1
#define GASNETT_THREAD_MODEL LITE
#elif defined(GASNETT_THREAD_SAFE) || defined(GASNET_PAR) ||                                \
    (!defined(GASNET_SEQ) && !defined(GASNET_PARSYNC) && !defined(GASNETT_THREAD_SINGLE) && \
     (defined(_REENTRANT) || defined(_THREAD_SAFE) || defined(PTHREAD_MUTEX_INITIALIZER)))
#undef GASNETT_THREAD_SAFE
#define GASNETT_THREAD_SAFE 1
#define GASNETT_THREAD_MODEL PAR
#else
#undef GASNETT_THREAD_SINGLE
#define GASNETT_THREAD_SINGLE 1
#define GASNETT_THREAD_MODEL SEQ
#endif

/* Whether atomics, weak fences and locks are real. In a client of one thread they are as well,
   because Atoll can run its handlers in a thread of its own. */
#if defined(GASNETT_THREAD_SAFE) || ATOLL_TOOLS_CLIENT
#define ATOLL_TOOLS_THREADS 1
#else
#define ATOLL_TOOLS_THREADS 0
#endif
#if defined(GASNETT_USE_TRUE_MUTEXES)
#define ATOLL_TOOLS_TRUE_LOCKS (ATOLL_TOOLS_THREADS || GASNETT_USE_TRUE_MUTEXES)
#else
#define ATOLL_TOOLS_TRUE_LOCKS ATOLL_TOOLS_THREADS
#endif

/* Notes a program without GASNet-EX that is compiled for debugging; gasnetex_mode.h does that for
   clients. */
#if ATOLL_GEX_DEBUG && !ATOLL_TOOLS_CLIENT
#ifdef __cplusplus
extern "C" {
#endif
void atoll_gex_note_debugging(void);
__attribute__((constructor(101), unused)) static void atoll_tools_note_this_file(void) {
  atoll_gex_note_debugging();
}
#ifdef __cplusplus
}
#endif
#endif

/* ---- versions ------------------------------------------------------------------------------- */

#define GASNETT_SPEC_VERSION_MAJOR 1
#define GASNETT_SPEC_VERSION_MINOR 20
#define GASNETT_RELEASE_VERSION_MAJOR GASNET_RELEASE_VERSION_MAJOR
#define GASNETT_RELEASE_VERSION_MINOR GASNET_RELEASE_VERSION_MINOR
#define GASNETT_RELEASE_VERSION_PATCH GASNET_RELEASE_VERSION_PATCH

#ifndef _STRINGIFY
#define _STRINGIFY(x) PLATFORM_STRINGIFY(x)
#endif
#ifndef _CONCAT
#define ATOLL_TOOLS_CONCAT(a, b) a##b
#define _CONCAT(a, b) ATOLL_TOOLS_CONCAT(a, b)
#endif

#define GASNETT_DEBUG_CONFIG nodebug
#if __SIZEOF_POINTER__ == 4
#define GASNETT_PTR_CONFIG 32bit
#else
#define GASNETT_PTR_CONFIG 64bit
#endif
#define GASNETT_TIMER_CONFIG timers_native
#define GASNETT_MEMBAR_CONFIG membars_native
#define GASNETT_ATOMIC_CONFIG atomics_native
#define GASNETT_ATOMIC32_CONFIG atomic32_native
#define GASNETT_ATOMIC64_CONFIG atomic64_native

/* The text of the release that is named here, since programs compare this text as a whole. */
#define GASNETT_CONFIG_STRING \
  "RELEASE=" _STRINGIFY(GASNET_RELEASE_VERSION_MAJOR) "." _STRINGIFY(          \
      GASNET_RELEASE_VERSION_MINOR) "." _STRINGIFY(GASNET_RELEASE_VERSION_PATCH) \
      ",SPEC=1.20,PTR=" _STRINGIFY(GASNETT_PTR_CONFIG) ",nodebug," _STRINGIFY( \
          GASNETT_THREAD_MODEL) ",timers_native,membars_native,atomics_native" \
                                ",atomic32_native,atomic64_native"

/* ---- the machine that is compiled for ------------------------------------------------------- */

#define GASNETT_PAGESIZE GASNET_PAGESIZE
#if GASNET_PAGESIZE == 4096
#define GASNETT_PAGESHIFT 12
#else
#define GASNETT_PAGESHIFT 16
#endif

/* Some processors fetch lines in pairs, or have lines of 128 bytes. */
#if defined(__x86_64__) || defined(__i386__)
#define GASNETT_CACHE_LINE_BYTES 64
#else
#define GASNETT_CACHE_LINE_BYTES 128
#endif

#if defined(__x86_64__)
#define GASNETT_SYSTEM_TUPLE "x86_64-unknown-linux-gnu"
#elif defined(__aarch64__)
#define GASNETT_SYSTEM_TUPLE "aarch64-unknown-linux-gnu"
#else
#define GASNETT_SYSTEM_TUPLE _STRINGIFY(PLATFORM_ARCH_FAMILYNAME) "-unknown-linux-gnu"
#endif
#define GASNETT_CONFIGURE_ARGS ""

/* One library serves all compilers, so the compiler in use is always the right one. */
#define GASNETT_PLATFORM_COMPILER_IDSTR PLATFORM_COMPILER_IDSTR
#define GASNETT_PLATFORM_COMPILER_FAMILYID PLATFORM_COMPILER_FAMILYID
#define GASNETT_PLATFORM_COMPILER_ID PLATFORM_COMPILER_ID
#define GASNETT_PLATFORM_COMPILER_VERSION PLATFORM_COMPILER_VERSION

#endif
