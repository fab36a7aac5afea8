// SPDX-License-Identifier: BSD-3-Clause
//
// Which interface this is: versions, names, limits and features, as macros that clients test. The
// version numbers are those of the public specification and of the release whose behaviour we
// follow, since that is what clients compare with; what is ours carries the name ATOLL.
#ifndef GASNETEX_IDENTITY_H
#define GASNETEX_IDENTITY_H

#include <atoll/abi.h>
#include <gasnetex_conduit.h>

#include "gasnet_config.h"
#include "gasnet_fwd.h"

/* Thread modes: one thread; several that take turns; any thread at any time. */
#define ATOLL_GEX_MODE_SEQ 1
#define ATOLL_GEX_MODE_PARSYNC 2
#define ATOLL_GEX_MODE_PAR 3

/* The stamp compiled into a program: the version of atoll/abi.h, and a number that is raised
   whenever an inline function of these headers and the library must change together. */
#define ATOLL_GEX_HEADER_VERSION (ATOLL_ABI_VERSION << 16 | 7u)

/* The release is in gasnet_config.h. */
#define GEX_SPEC_VERSION_MAJOR 0
#define GEX_SPEC_VERSION_MINOR 19

/* The network layer; its name as the client looks for it is in gasnetex_conduit.h. */
#define GASNET_CONDUIT_ATOLL 1
#define GASNET_CORE_NAME ATOLL
#define GASNET_CORE_NAME_STR "ATOLL"
#define GASNET_CORE_VERSION 1.0
#define GASNET_CORE_VERSION_STR "1.0"
#define GASNET_EXTENDED_NAME ATOLL
#define GASNET_EXTENDED_NAME_STR "ATOLL"
#define GASNET_EXTENDED_VERSION 1.0
#define GASNET_EXTENDED_VERSION_STR "1.0"

/* Checking and tracing are settings of the run. A program compiled with -DGASNET_DEBUG is checked
   like one of GASNet's debugging build, unless the setting says otherwise. */
#ifdef GASNET_DEBUG
#define ATOLL_GEX_DEBUG 1
#else
#define ATOLL_GEX_DEBUG 0
#define GASNET_NDEBUG 1
#endif
#define GASNET_PSHM 1
#define GASNET_SEGMENT_FAST 1
#define GASNET_ALIGNED_SEGMENTS 0
#define GASNET_NULL_ARGV_OK 1

/* Limits known when compiling. A page is a multiple of the machine's. */
#define GASNET_MAXNODES 0x7fffffffu
#define GASNET_MAXEPS 64
#if defined(__x86_64__) || defined(__i386__)
#define GASNET_PAGESIZE 4096
#else
#define GASNET_PAGESIZE 65536
#endif

/* Optional features of the specification that are here. */
#define GASNET_SUPPORTS_TI_SRCRANK 1
#define GASNET_SUPPORTS_TI_EP 1
#define GASNET_SUPPORTS_TI_ENTRY 1
#define GASNET_SUPPORTS_TI_IS_REQ 1
#define GASNET_SUPPORTS_TI_IS_LONG 1
#define GASNET_SUPPORTS_AM_CANCEL 20240418L
#define GASNET_SUPPORTS_AM_COMMIT_V2 20240906L
#define GASNET_NATIVE_NP_ALLOC_REQ_MEDIUM 1
#define GASNET_NATIVE_NP_ALLOC_REP_MEDIUM 1

/* A setting can start a thread that runs handlers while the client is busy elsewhere. */
#define GASNET_RCV_THREAD 1
#define GASNET_HIDDEN_AM_CONCURRENCY_LEVEL 1

/* The result of a call. */
#define GASNET_OK 0
#define GASNET_ERR_NOT_INIT 10001
#define GASNET_ERR_RESOURCE 10002
#define GASNET_ERR_BAD_ARG 10003
#define GASNET_ERR_NOT_READY 10004
#define GASNET_ERR_BARRIER_MISMATCH 10005

#define ATOLL_GEX_MUST_USE __attribute__((warn_unused_result))

#ifdef __cplusplus
extern "C" {
#endif

const char* gasnet_ErrorName(int error);
const char* gasnet_ErrorDesc(int error);

#ifdef __cplusplus
}
#endif

#endif
