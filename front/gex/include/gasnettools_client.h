// SPDX-License-Identifier: BSD-3-Clause
//
// Tools for GASNet-EX clients alone: values of the interface as text, memory, small copies, and a
// number of threads to size tables by. The text functions return the bytes they need, the end of
// the text included, and write only when `buf` is not null; *_bufsz tells what is always enough.
#ifndef GASNETTOOLS_CLIENT_H
#define GASNETTOOLS_CLIENT_H

#include <string.h>

#include "gasnet_fwd.h"
#include "gasnetex_types.h"
#include "gasnettools_mode.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Client threads of a process, for tables that are sized when compiling. Atoll itself sets no such
   limit. */
#if defined(GASNET_SEQ)
#define GASNETT_MAX_THREADS 1
#else
#define GASNETT_MAX_THREADS 256
#endif

/* The handlers that a client registers for the library's diagnosis of itself, and their number.
   Atoll diagnoses itself without handlers of the client's, so there are none. */
void gasnett_diagnostic_gethandlers(gex_AM_Entry_t** table_p, int* count_p);
#define gasnett_diagnostic_gethandlers gasnett_diagnostic_gethandlers

/* Fresh zeroed pages of memory, or the end of the program. */
void* gasnett_mmap(uintptr_t bytes);

/* ---- sets of flags -------------------------------------------------------------------------- */

size_t gasnett_format_dt(char* buf, gex_DT_t types);
size_t gasnett_format_op(char* buf, gex_OP_t operations);
size_t gasnett_format_ti(char* buf, unsigned int parts);

/* ---- descriptions of strided, indexed and vector transfers ---------------------------------- */

/* `list` is an array of gex_Memvec_t. */
size_t gasnett_format_memveclist_bufsz(size_t count);
size_t gasnett_format_memveclist(char* buf, size_t count, const void* list);
size_t gasnett_format_addrlist_bufsz(size_t count);
size_t gasnett_format_addrlist(char* buf, size_t count, void* const* list, size_t length);
size_t gasnett_format_strides_bufsz(size_t count);
size_t gasnett_format_strides(char* buf, size_t count, const ptrdiff_t* list);

size_t gasnett_format_putvgetv_bufsz(size_t destinations, size_t sources);
size_t gasnett_format_putigeti_bufsz(size_t destinations, size_t sources);
size_t gasnett_format_putsgets_bufsz(size_t levels);
struct atoll_gex_team;
size_t gasnett_format_putvgetv(char* buf, struct atoll_gex_team* tm, gex_Rank_t rank,
                               size_t destinations, const void* to, size_t sources,
                               const void* from);
size_t gasnett_format_putigeti(char* buf, struct atoll_gex_team* tm, gex_Rank_t rank,
                               size_t destinations, void* const to[], size_t to_length,
                               size_t sources, void* const from[], size_t from_length);
size_t gasnett_format_putsgets(char* buf, void* statistics, struct atoll_gex_team* tm,
                               gex_Rank_t rank, void* to, const ptrdiff_t to_strides[], void* from,
                               const ptrdiff_t from_strides[], size_t element, const size_t count[],
                               size_t levels);

#ifdef __cplusplus
}
#endif

/* ---- copies and values ---------------------------------------------------------------------- */

#define GASNETT_FAST_ALIGNED_MEMCPY(to, from, bytes) memcpy(to, from, bytes)
#define GASNETT_FAST_UNALIGNED_MEMCPY(to, from, bytes) memcpy(to, from, bytes)

#endif
