// SPDX-License-Identifier: BSD-3-Clause
//
// A pointer of which each thread has its own, null at first. Defined at namespace scope in one
// file, declared in others. Where a program has one thread it is an ordinary variable.
#ifndef GASNETTOOLS_THREADKEY_H
#define GASNETTOOLS_THREADKEY_H

#include "gasnettools_mode.h"

#if ATOLL_TOOLS_THREADS
#define ATOLL_TOOLS_PER_THREAD __thread
#else
#define ATOLL_TOOLS_PER_THREAD
#endif

#define GASNETT_THREADKEY_DECLARE(key) extern ATOLL_TOOLS_PER_THREAD void* key
#define GASNETT_THREADKEY_DEFINE(key) ATOLL_TOOLS_PER_THREAD void* key

#define gasnett_threadkey_get(key) (key)
#define gasnett_threadkey_set(key, value) ((void)((key) = (void*)(uintptr_t)(value)))

/* A key needs no preparation. */
#define gasnett_threadkey_init(key) ((void)(key))
#define gasnett_threadkey_get_noinit(key) gasnett_threadkey_get(key)
#define gasnett_threadkey_set_noinit(key, value) gasnett_threadkey_set(key, value)

/* A name that Realm takes the address of. */
static inline void _gasneti_threadkey_init(void* key) { (void)key; }

#endif
