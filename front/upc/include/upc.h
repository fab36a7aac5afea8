/* SPDX-License-Identifier: BSD-3-Clause

   The library of UPC (UPC language specification 1.3, 7.2): in UPC as it is specified, and in C and
   C++ with pointers-to-shared as structs (atoll_upc/shared.h). Functions may be called from the
   start of main to the end of the program, by the thread that runs main. A wrong argument, such as
   a pointer that was not allocated, ends the job with a message that names function, thread, cause
   and remedy. */
#ifndef ATOLL_UPC_UPC_H
#define ATOLL_UPC_UPC_H

#include <atoll_upc/shared.h>
#include <stddef.h>
#include <upc_types.h>

ATOLL_UPC_BEGIN

/* ---- 7.2.1: the end -------------------------------------------------------------------------- */

/* Writes out the standard streams and ends all threads; the job's exit code is `status`. */
void upc_global_exit(int status);

/* ---- 7.2.2: allocation ----------------------------------------------------------------------- */

/* Memory like shared [nbytes] char[nblocks * nbytes], aligned for every type; null for 0 bytes and
   when there is not enough. Its content is undefined. */
ATOLL_UPC_TO(void) upc_all_alloc(size_t nblocks, size_t nbytes);    /* collective; one object */
ATOLL_UPC_TO(void) upc_global_alloc(size_t nblocks, size_t nbytes); /* one caller, one object */

/* At least so many bytes with affinity to the caller; null for 0 bytes and when there is not
   enough. UPC 1.2 has the second: nblocks * nbytes bytes. */
ATOLL_UPC_TO(void) upc_alloc(size_t nbytes);
ATOLL_UPC_TO(void) upc_local_alloc(size_t nblocks, size_t nbytes);

/* Frees a block that any of these has returned on any thread; does nothing for null. The second is
   collective, and the object lives until all threads have called it. */
void upc_free(ATOLL_UPC_TO(void) ptr);
void upc_all_free(ATOLL_UPC_TO(void) ptr);

/* ---- 7.2.3: pointers ------------------------------------------------------------------------- */

size_t upc_threadof(ATOLL_UPC_TO_CONST(void) ptr);
size_t upc_phaseof(ATOLL_UPC_TO_CONST(void) ptr);
ATOLL_UPC_TO(void) upc_resetphase(ATOLL_UPC_TO_CONST(void) ptr);
size_t upc_addrfield(ATOLL_UPC_TO_CONST(void) ptr);

/* The bytes on a thread of an object of `totalsize` bytes in blocks of `nbytes`; 0: all on thread
   0. */
size_t upc_affinitysize(size_t totalsize, size_t nbytes, size_t threadid);

/* ---- 7.2.4: locks ---------------------------------------------------------------------------- */

#ifdef __UPC__
typedef shared struct atoll_upc_lock upc_lock_t;
#define ATOLL_UPC_LOCK upc_lock_t*
#else
#define ATOLL_UPC_LOCK atoll_upc_pointer
#endif

/* A lock, unlocked; null when there is not enough memory. */
ATOLL_UPC_LOCK upc_all_lock_alloc(void); /* collective; one lock */
ATOLL_UPC_LOCK upc_global_lock_alloc(void);

/* Frees a lock, locked or not; does nothing for null. The second is collective, and the lock lives
   until all threads have called it. */
void upc_lock_free(ATOLL_UPC_LOCK ptr);
void upc_all_lock_free(ATOLL_UPC_LOCK ptr);

/* The first takes the lock, after all threads that have asked before. The second takes it if it is
   free, and returns whether it did. The third gives it back. Accesses stay in between. */
void upc_lock(ATOLL_UPC_LOCK ptr);
int upc_lock_attempt(ATOLL_UPC_LOCK ptr);
void upc_unlock(ATOLL_UPC_LOCK ptr);

/* ---- 7.2.5: bytes ---------------------------------------------------------------------------- */

/* Copies and fills n bytes, each side within one thread's memory. Relaxed accesses, complete for
   the caller on return. */
void upc_memcpy(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, size_t n);
void upc_memget(void* dst, ATOLL_UPC_TO_CONST(void) src, size_t n);
void upc_memput(ATOLL_UPC_TO(void) dst, const void* src, size_t n);
void upc_memset(ATOLL_UPC_TO(void) dst, int c, size_t n);

ATOLL_UPC_END

#include <bupc_extensions.h>

#endif
