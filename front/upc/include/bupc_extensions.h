/* SPDX-License-Identifier: BSD-3-Clause

   Functions of Berkeley UPC beyond the specification, those that programs use; upc.h includes this
   header, as programs expect. Not all of Berkeley's are here, so __BERKELEY_UPC__ is not defined.
 */
#ifndef ATOLL_UPC_BUPC_EXTENSIONS_H
#define ATOLL_UPC_BUPC_EXTENSIONS_H

#include <atoll_upc/shared.h>
#include <stddef.h>
#include <stdint.h>
#include <upc_types.h>

ATOLL_UPC_BEGIN

/* For programs whose main is not UPC: joins the job, before any use of shared objects; all threads
   call it. The second runs `program` and then ends the thread with its result, unless it is null.
   The third ends the thread, as exit() does. */
void bupc_init(int* argc, char*** argv);
void bupc_init_reentrant(int* argc, char*** argv, int (*program)(int, char**));
void bupc_exit(int code);

/* Serves other threads, and gives the processor away where threads share it: in loops that wait. */
void bupc_poll(void);

/* Timers: those of upc_tick.h by their older names. */
typedef uint64_t bupc_tick_t;
#define BUPC_TICK_MAX UINT64_MAX
#define BUPC_TICK_MIN ((bupc_tick_t)0)
bupc_tick_t bupc_ticks_now(void);
uint64_t bupc_ticks_to_us(bupc_tick_t ticks);
uint64_t bupc_ticks_to_ns(bupc_tick_t ticks);

/* 1: the thread is the caller, 2: they share memory, 4: they are on different hosts. */
#define BUPC_THREADS_SAME 1
#define BUPC_THREADS_VERYNEAR 2
#define BUPC_THREADS_NEAR 3
#define BUPC_THREADS_FAR 4
#define BUPC_THREADS_VERYFAR 4
unsigned int bupc_thread_distance(int thread, int other);

/* The private address of shared memory that this thread reaches by loads and stores, else null; and
   whether there is one. */
void* bupc_cast(ATOLL_UPC_TO_CONST(void) ptr);
int bupc_castable(ATOLL_UPC_TO_CONST(void) ptr);

/* p + i for an array of elements of so many bytes in such blocks. */
ATOLL_UPC_TO(void)
bupc_ptradd(ATOLL_UPC_TO(void) p, size_t blockelems, size_t elemsz, ptrdiff_t elemincr);

/* Transfers that go on in the background, as those of upc_nb.h by their older names; _asynci have
   no handle, and bupc_waitsynci() waits for all of them. Of several handles, the functions for
   `some` wait for one at least, or test them once, and write the places of those that were complete
   to `places`, as many as they return; a handle that is complete becomes BUPC_COMPLETE_HANDLE. */
typedef struct atoll_operation* bupc_handle_t;
#define BUPC_COMPLETE_HANDLE ((bupc_handle_t)0)
bupc_handle_t bupc_memcpy_async(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, size_t n);
bupc_handle_t bupc_memget_async(void* dst, ATOLL_UPC_TO_CONST(void) src, size_t n);
bupc_handle_t bupc_memput_async(ATOLL_UPC_TO(void) dst, const void* src, size_t n);
bupc_handle_t bupc_memset_async(ATOLL_UPC_TO(void) dst, int c, size_t n);
void bupc_memcpy_asynci(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, size_t n);
void bupc_memget_asynci(void* dst, ATOLL_UPC_TO_CONST(void) src, size_t n);
void bupc_memput_asynci(ATOLL_UPC_TO(void) dst, const void* src, size_t n);
void bupc_memset_asynci(ATOLL_UPC_TO(void) dst, int c, size_t n);
void bupc_waitsync(bupc_handle_t handle);
int bupc_trysync(bupc_handle_t handle);
void bupc_waitsync_all(bupc_handle_t* handles, size_t count);
int bupc_trysync_all(bupc_handle_t* handles, size_t count);
size_t bupc_waitsync_some(bupc_handle_t* handles, size_t count, size_t* places);
size_t bupc_trysync_some(bupc_handle_t* handles, size_t count, size_t* places);
void bupc_waitsynci(void);
int bupc_trysynci(void);

/* Transfers of chunks of one length that lie at one distance, on each side; both sides have the
   same number of bytes in all. */
void bupc_memcpy_fstrided(ATOLL_UPC_TO(void) dst, size_t dstchunklen, size_t dststride,
                          size_t dstchunks, ATOLL_UPC_TO_CONST(void) src, size_t srcchunklen,
                          size_t srcstride, size_t srcchunks);
void bupc_memget_fstrided(void* dst, size_t dstchunklen, size_t dststride, size_t dstchunks,
                          ATOLL_UPC_TO_CONST(void) src, size_t srcchunklen, size_t srcstride,
                          size_t srcchunks);
void bupc_memput_fstrided(ATOLL_UPC_TO(void) dst, size_t dstchunklen, size_t dststride,
                          size_t dstchunks, const void* src, size_t srcchunklen, size_t srcstride,
                          size_t srcchunks);

/* Atomic operations on numbers, which return what they were. */
#define ATOLL_UPC_DECLARE_BUPC_ATOMICS(NAME, TYPE, KIND)                                    \
  TYPE bupc_atomic##NAME##_read_##KIND(ATOLL_UPC_TO(void) ptr);                             \
  void bupc_atomic##NAME##_set_##KIND(ATOLL_UPC_TO(void) ptr, TYPE value);                  \
  TYPE bupc_atomic##NAME##_swap_##KIND(ATOLL_UPC_TO(void) ptr, TYPE value);                 \
  TYPE bupc_atomic##NAME##_cswap_##KIND(ATOLL_UPC_TO(void) ptr, TYPE expected, TYPE value); \
  TYPE bupc_atomic##NAME##_fetchadd_##KIND(ATOLL_UPC_TO(void) ptr, TYPE value);             \
  TYPE bupc_atomic##NAME##_fetchand_##KIND(ATOLL_UPC_TO(void) ptr, TYPE value);             \
  TYPE bupc_atomic##NAME##_fetchor_##KIND(ATOLL_UPC_TO(void) ptr, TYPE value);              \
  TYPE bupc_atomic##NAME##_fetchxor_##KIND(ATOLL_UPC_TO(void) ptr, TYPE value);
/* clang-format off */
#define ATOLL_UPC_FOR_BUPC_ATOMICS(DO) \
  DO(I, int, strict) DO(I, int, relaxed) \
  DO(UI, unsigned int, strict) DO(UI, unsigned int, relaxed) \
  DO(L, long, strict) DO(L, long, relaxed) \
  DO(UL, unsigned long, strict) DO(UL, unsigned long, relaxed) \
  DO(I32, int32_t, strict) DO(I32, int32_t, relaxed) \
  DO(U32, uint32_t, strict) DO(U32, uint32_t, relaxed) \
  DO(I64, int64_t, strict) DO(I64, int64_t, relaxed) \
  DO(U64, uint64_t, strict) DO(U64, uint64_t, relaxed)
/* clang-format on */
ATOLL_UPC_FOR_BUPC_ATOMICS(ATOLL_UPC_DECLARE_BUPC_ATOMICS)

/* As upc_all_reduceT, with the result in the element of each thread at dst, which is on thread 0.
 */
#define ATOLL_UPC_DECLARE_BUPC_REDUCTION(T, TYPE)                                                \
  void bupc_all_reduce_all##T(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, upc_op_t op, \
                              size_t nelems, size_t blk_size, TYPE (*func)(TYPE, TYPE),          \
                              upc_flag_t flags);
ATOLL_UPC_DECLARE_BUPC_REDUCTION(C, signed char)
ATOLL_UPC_DECLARE_BUPC_REDUCTION(UC, unsigned char)
ATOLL_UPC_DECLARE_BUPC_REDUCTION(S, signed short)
ATOLL_UPC_DECLARE_BUPC_REDUCTION(US, unsigned short)
ATOLL_UPC_DECLARE_BUPC_REDUCTION(I, signed int)
ATOLL_UPC_DECLARE_BUPC_REDUCTION(UI, unsigned int)
ATOLL_UPC_DECLARE_BUPC_REDUCTION(L, signed long)
ATOLL_UPC_DECLARE_BUPC_REDUCTION(UL, unsigned long)
ATOLL_UPC_DECLARE_BUPC_REDUCTION(F, float)
ATOLL_UPC_DECLARE_BUPC_REDUCTION(D, double)
ATOLL_UPC_DECLARE_BUPC_REDUCTION(LD, long double)
#undef ATOLL_UPC_DECLARE_BUPC_REDUCTION

ATOLL_UPC_END

#endif
