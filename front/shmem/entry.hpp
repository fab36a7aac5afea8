// SPDX-License-Identifier: BSD-3-Clause
//
// How a function of the interface is defined: once under its pshmem_ name, which tools call, and
// once more under its shmem_ name as a weak alias, which tools replace. Nothing inside the library
// calls either, so that a tool counts the program's calls and no others.
//
// Every definition stands in the file of its chapter and includes the headers with their inline
// functions left out: the library defines these functions itself.
#pragma once

#ifndef ATOLL_SHMEM_OUT_OF_LINE
#define ATOLL_SHMEM_OUT_OF_LINE
#endif
#include <pshmem.h>

/// A function: its result, its name without the prefix, its parameters in parentheses, its body.
#define ATOLL_SHMEM_ENTRY(RESULT, NAME, PARAMETERS, ...)      \
  extern "C" RESULT pshmem_##NAME PARAMETERS { __VA_ARGS__; } \
  extern "C" RESULT shmem_##NAME PARAMETERS __attribute__((weak, alias("pshmem_" #NAME)));

/// A function with and without a context, which its body calls `ctx`. The body is one expression,
/// which comes before the parameters.
#define ATOLL_SHMEM_ENTRIES(RESULT, NAME, BODY, ...)                                        \
  ATOLL_SHMEM_ENTRY(RESULT, NAME, (__VA_ARGS__), const shmem_ctx_t ctx = SHMEM_CTX_DEFAULT; \
                    return BODY)                                                            \
  ATOLL_SHMEM_ENTRY(RESULT, ctx_##NAME, (shmem_ctx_t ctx, __VA_ARGS__), return BODY)

/// A name of former versions, whose twin has a `p` before it.
#define ATOLL_SHMEM_OLD_ENTRY(RESULT, NAME, PARAMETERS, ...) \
  extern "C" RESULT p##NAME PARAMETERS { __VA_ARGS__; }      \
  extern "C" RESULT NAME PARAMETERS __attribute__((weak, alias("p" #NAME)));
