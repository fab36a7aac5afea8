// SPDX-License-Identifier: BSD-3-Clause
//
// Facts about the file that includes gasnetex.h: the thread mode it was compiled for. GASNet-EX
// builds one library per mode; Atoll has one library, and the mode is a property of the client that
// is checked when it starts: every object file notes its mode with the library before main(), and
// gex_Client_Init() refuses a program whose objects disagree. The library's own sources never
// include this header.
#ifndef GASNETEX_MODE_H
#define GASNETEX_MODE_H

#include "gasnetex_identity.h"
#include "gasnetex_start.h"
#include "gasnetex_types.h"

#if defined(GASNET_SEQ) + defined(GASNET_PARSYNC) + defined(GASNET_PAR) != 1
#error "define exactly one of GASNET_SEQ, GASNET_PARSYNC, GASNET_PAR (pkg-config gasnetex-seq, ...)"
#endif

#if defined(GASNET_SEQ)
#undef GASNET_SEQ
#define GASNET_SEQ 1
#define ATOLL_GEX_MODE ATOLL_GEX_MODE_SEQ
#define ATOLL_GEX_MODE_NAME "SEQ"
#elif defined(GASNET_PARSYNC)
#undef GASNET_PARSYNC
#define GASNET_PARSYNC 1
#define ATOLL_GEX_MODE ATOLL_GEX_MODE_PARSYNC
#define ATOLL_GEX_MODE_NAME "PARSYNC"
#else
#undef GASNET_PAR
#define GASNET_PAR 1
#define ATOLL_GEX_MODE ATOLL_GEX_MODE_PAR
#define ATOLL_GEX_MODE_NAME "PAR"
#endif

#define GASNET_CONFIG_STRING                                                               \
  "RELEASE=2025.8.0,SPEC=0.19,CONDUIT=" GASNET_CONDUIT_NAME_STR "(" GASNET_CORE_NAME_STR   \
  "-" GASNET_CORE_VERSION_STR "/" GASNET_EXTENDED_NAME_STR "-" GASNET_EXTENDED_VERSION_STR \
  "),THREADMODEL=" ATOLL_GEX_MODE_NAME                                                     \
  ",SEGMENT=FAST,PTR=64bit,noalign,pshm,nodebug,notrace,nostats"

#ifdef __cplusplus
extern "C" {
#endif

/* Tools (ident, launchers) read this text out of the executable to learn how it was built. They
   take each copy for one more library, so all object files share one: it is weak, in a section of
   which the linker keeps one by its name. Neither C nor C++11 has syntax for that. */
extern __attribute__((weak, visibility("hidden"), section(".gnu.linkonce.r.atoll_gex_ident")))
const char atoll_gex_ident[];
const char atoll_gex_ident[] =
    "\n$GASNetConduitName: " GASNET_CONDUIT_NAME_STR
    " $\n$GASNetThreadModel: GASNET_" ATOLL_GEX_MODE_NAME
    " $\n$GASNetSegment: GASNET_SEGMENT_FAST $\n$GASNetAPIVersion: 1 $\n$GASNetEXAPIVersion: 0.19 $"
    "\n$GASNetConfig: " GASNET_CONFIG_STRING " $\n";

/* 101: before the objects of a C++ client are made. */
__attribute__((constructor(101), unused)) static void atoll_gex_note_this_file(void) {
  __asm__ volatile("" : : "r"(atoll_gex_ident)); /* so that --gc-sections keeps it */
  atoll_gex_note_mode(ATOLL_GEX_MODE, __BASE_FILE__);
#if ATOLL_GEX_DEBUG
  atoll_gex_note_debugging();
#endif
}

/* Starts the library in this process; collective over the job, with a barrier before it returns.
   One call per process. The command line is not read: argc and argv may be null. A start that
   cannot work ends the process with a message; wrong arguments return GASNET_ERR_BAD_ARG. */
static inline int gex_Client_Init(gex_Client_t* client_p, gex_EP_t* ep_p, gex_TM_t* tm_p,
                                  const char* clientName, int* argc, char*** argv,
                                  gex_Flags_t flags) {
  struct atoll_gex_start start;
  (void)argc;
  (void)argv;
  start.client_name = clientName;
  start.flags = flags;
  start.header_version = ATOLL_GEX_HEADER_VERSION;
  start.mode = ATOLL_GEX_MODE;
  return atoll_gex_client_init(client_p, ep_p, tm_p, &start);
}
/* How many threads may use the library at a time. */
static inline uint64_t gex_System_QueryMaxThreads(void) {
  return atoll_gex_max_threads(ATOLL_GEX_MODE);
}

#ifdef __cplusplus
}
#endif

#endif
