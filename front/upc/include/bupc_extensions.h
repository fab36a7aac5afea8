/* SPDX-License-Identifier: BSD-3-Clause

   Functions of Berkeley UPC beyond the specification: all that its manual names, so the translator
   defines __BERKELEY_UPC__. upc.h includes this header, as programs expect. Names of Berkeley's
   runtime, as in upcr.h, and of GASNet are not here, and __BERKELEY_UPC_RUNTIME__ is not defined.
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

/* Serves other threads, and yields the processor where threads share it: for loops that wait. */
void bupc_poll(void);
#define upc_poll bupc_poll

/* The value of an environment variable, null where it is not set. */
char* bupc_getenv(const char* name);

/* Nothing is traced: messages go nowhere, masks stay empty. Statistics: upcrun -stats. */
#define bupc_trace_printf(arguments_in_parentheses) ((void)0)
void bupc_trace_setmask(const char* mask);
const char* bupc_trace_getmask(void);
void bupc_trace_settracelocal(int is_wanted);
int bupc_trace_gettracelocal(void);
void bupc_stats_setmask(const char* mask);
const char* bupc_stats_getmask(void);

/* Timers: those of upc_tick.h by their older names. The last two measure the smallest difference of
   two ticks, and the time to read one, in microseconds. */
typedef uint64_t bupc_tick_t;
#define BUPC_TICK_MAX UINT64_MAX
#define BUPC_TICK_MIN ((bupc_tick_t)0)
bupc_tick_t bupc_ticks_now(void);
uint64_t bupc_ticks_to_us(bupc_tick_t ticks);
uint64_t bupc_ticks_to_ns(bupc_tick_t ticks);
double bupc_tick_granularityus(void);
double bupc_tick_overheadus(void);

/* How far two threads are from each other: one thread, threads that share memory, or on different
   hosts. Programs compare by <= and >=. */
#define BUPC_THREADS_SAME 0
#define BUPC_THREADS_VERYNEAR 100
#define BUPC_THREADS_NEAR 200
#define BUPC_THREADS_FAR 300
#define BUPC_THREADS_VERYFAR 400
unsigned int bupc_thread_distance(int thread, int other);

/* The private address of shared memory that this thread reaches by loads and stores, else null;
   whether there is one; and whether there is one for all memory of a thread. */
void* bupc_cast(ATOLL_UPC_TO_CONST(void) ptr);
int bupc_castable(ATOLL_UPC_TO_CONST(void) ptr);
int bupc_thread_castable(unsigned int thread);
/* The inverse: the pointer, with phase 0, to the shared memory of which `ptr` is a private address
   here; null where it is none. */
ATOLL_UPC_TO(void) bupc_inverse_cast(void* ptr);

/* `ptr` is an address in the caller's shared memory; the pointer is to the same offset on `thread`.
 */
ATOLL_UPC_TO(void) bupc_local_to_shared(void* ptr, int thread, int phase);

/* Writes the pointer's address, thread and phase as text; -1, with errno EINVAL, where there is
   room for less than BUPC_DUMP_MIN_LENGTH characters, else 0. */
#define BUPC_DUMP_MIN_LENGTH 100
#define UPC_DUMP_MIN_LENGTH BUPC_DUMP_MIN_LENGTH
#define upc_dump_shared bupc_dump_shared
int bupc_dump_shared(ATOLL_UPC_TO_CONST(void) ptr, char* buffer, int length);

/* Whether two expressions or types have one type in C. */
#define bupc_assert_type(first, second) \
  __builtin_types_compatible_p(__typeof__(first), __typeof__(second))

/* p + i for an array of elements of so many bytes in such blocks. */
ATOLL_UPC_TO(void)
bupc_ptradd(ATOLL_UPC_TO(void) p, size_t blockelems, size_t elemsz, ptrdiff_t elemincr);

/* Semaphores in the memory of the thread that allocates them. Their value is 0 at first. Flags say
   whether the value is a number (the default) or only 0 and 1, and how many threads post and wait.
   Post adds 1 or n. Wait subtracts it as soon as the value is large enough; try does so or returns
   0. Each is a upc_fence too. n is for numbers only. */
#define BUPC_SEM_BOOLEAN 1
#define BUPC_SEM_INTEGER 2
#define BUPC_SEM_SPRODUCER 4
#define BUPC_SEM_MPRODUCER 8
#define BUPC_SEM_SCONSUMER 16
#define BUPC_SEM_MCONSUMER 32
#define BUPC_SEM_MASK 63
#define BUPC_SEM_MAXVALUE 65535
#ifdef __UPC__
typedef shared struct atoll_upc_semaphore bupc_sem_t;
#define ATOLL_UPC_SEMAPHORE bupc_sem_t*
#else
#define ATOLL_UPC_SEMAPHORE atoll_upc_pointer
#endif
ATOLL_UPC_SEMAPHORE bupc_sem_alloc(int flags);
void bupc_sem_free(ATOLL_UPC_SEMAPHORE s);
void bupc_sem_post(ATOLL_UPC_SEMAPHORE s);
void bupc_sem_postN(ATOLL_UPC_SEMAPHORE s, size_t n);
void bupc_sem_wait(ATOLL_UPC_SEMAPHORE s);
void bupc_sem_waitN(ATOLL_UPC_SEMAPHORE s, size_t n);
int bupc_sem_try(ATOLL_UPC_SEMAPHORE s);
int bupc_sem_tryN(ATOLL_UPC_SEMAPHORE s, size_t n);

/* Puts, and then posts n to a semaphore of the thread that owns the target. The source may be
   reused on return. */
void bupc_memput_signal(ATOLL_UPC_TO(void) dst, const void* src, size_t nbytes,
                        ATOLL_UPC_SEMAPHORE s, size_t n);
void bupc_memput_signal_async(ATOLL_UPC_TO(void) dst, const void* src, size_t nbytes,
                              ATOLL_UPC_SEMAPHORE s, size_t n);

/* Transfers in the background: those of upc_nb.h by their older names. _asynci have no handle, and
   bupc_waitsynci() waits for all of them. The functions for several handles wait or test: those for
   `some` until one is complete, the others until all are. A handle that is complete becomes
   BUPC_COMPLETE_HANDLE, and such handles are ignored. Between the last two functions all transfers
   without a handle get a common one. */
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
void bupc_waitsync_some(bupc_handle_t* handles, size_t count);
int bupc_trysync_some(bupc_handle_t* handles, size_t count);
void bupc_waitsynci(void);
int bupc_trysynci(void);
void bupc_begin_accessregion(void);
bupc_handle_t bupc_end_accessregion(void);

/* Transfers of many pieces. Both sides have the same number of bytes in all, which are read and
   written in order; they may be cut into pieces in different ways. Pieces of shared memory may be
   on different threads. The forms: pieces of any length (vlist), of one length (ilist), at one
   distance (fstrided), and at distances by level (strided): count[0] bytes, count[i] times at
   strides[i - 1] bytes. */
typedef struct {
  void* addr;
  size_t len;
} bupc_pmemvec_t;
typedef struct {
  ATOLL_UPC_TO(void) addr;
  size_t len;
} bupc_smemvec_t;
/* clang-format off */
#define ATOLL_UPC_FOR_PIECES(DO) \
  DO(memcpy, ATOLL_UPC_TO(void), ATOLL_UPC_TO_CONST(void), bupc_smemvec_t, bupc_smemvec_t) \
  DO(memput, ATOLL_UPC_TO(void), const void*, bupc_smemvec_t, bupc_pmemvec_t) \
  DO(memget, void*, ATOLL_UPC_TO_CONST(void), bupc_pmemvec_t, bupc_smemvec_t)
#define ATOLL_UPC_DECLARE_PIECES(NAME, TARGET, SOURCE, TARGET_PIECE, SOURCE_PIECE) \
  ATOLL_UPC_DECLARE_PIECES_AS(void, NAME, , TARGET, SOURCE, TARGET_PIECE, SOURCE_PIECE) \
  ATOLL_UPC_DECLARE_PIECES_AS(bupc_handle_t, NAME, _async, TARGET, SOURCE, TARGET_PIECE, SOURCE_PIECE)
#define ATOLL_UPC_DECLARE_PIECES_AS(RESULT, NAME, END, TARGET, SOURCE, TARGET_PIECE, SOURCE_PIECE) \
  RESULT bupc_##NAME##_vlist##END(size_t dstcount, TARGET_PIECE const dstlist[], size_t srccount, \
                                  SOURCE_PIECE const srclist[]); \
  RESULT bupc_##NAME##_ilist##END(size_t dstcount, TARGET const dstlist[], size_t dstlen, \
                                  size_t srccount, SOURCE const srclist[], size_t srclen); \
  RESULT bupc_##NAME##_fstrided##END(TARGET dst, size_t dstchunklen, size_t dststride, \
                                     size_t dstchunks, SOURCE src, size_t srcchunklen, \
                                     size_t srcstride, size_t srcchunks); \
  RESULT bupc_##NAME##_strided##END(TARGET dst, const size_t dststrides[], SOURCE src, \
                                    const size_t srcstrides[], const size_t count[], \
                                    size_t stridelevels);
/* clang-format on */
ATOLL_UPC_FOR_PIECES(ATOLL_UPC_DECLARE_PIECES)

/* Atomic operations on numbers. They return the previous value. */
#define ATOLL_UPC_DECLARE_BUPC_ATOMICS(NAME, TYPE, KIND)                                    \
  TYPE bupc_atomic##NAME##_read_##KIND(ATOLL_UPC_TO(void) ptr);                             \
  void bupc_atomic##NAME##_set_##KIND(ATOLL_UPC_TO(void) ptr, TYPE value);                  \
  TYPE bupc_atomic##NAME##_swap_##KIND(ATOLL_UPC_TO(void) ptr, TYPE value);                 \
  TYPE bupc_atomic##NAME##_cswap_##KIND(ATOLL_UPC_TO(void) ptr, TYPE expected, TYPE value); \
  TYPE bupc_atomic##NAME##_fetchadd_##KIND(ATOLL_UPC_TO(void) ptr, TYPE value);             \
  TYPE bupc_atomic##NAME##_fetchand_##KIND(ATOLL_UPC_TO(void) ptr, TYPE value);             \
  TYPE bupc_atomic##NAME##_fetchor_##KIND(ATOLL_UPC_TO(void) ptr, TYPE value);              \
  TYPE bupc_atomic##NAME##_fetchxor_##KIND(ATOLL_UPC_TO(void) ptr, TYPE value);             \
  TYPE bupc_atomic##NAME##_fetchnot_##KIND(ATOLL_UPC_TO(void) ptr);
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

/* Collective functions on one value per thread, which bupc_collectivev.h calls. The result lies in
   memory of the library until the next call. A root of -1: all threads. `kind` is 4 times the
   number of bytes of a number, plus 2 where it has a fraction, plus 1 where it has a sign. */
void* atoll_upc_value_broadcast(const void* value, size_t bytes, int root);
void* atoll_upc_value_gather(const void* value, size_t bytes, int root, void* to);
void* atoll_upc_value_scatter(size_t bytes, int root, const void* from);
void* atoll_upc_value_permute(const void* value, size_t bytes, int to);
void* atoll_upc_value_reduce(const void* value, unsigned kind, int root, upc_op_t op);
void* atoll_upc_value_prefix_reduce(const void* value, unsigned kind, upc_op_t op);

ATOLL_UPC_END

#ifdef BUPC_USE_UPC_NAMESPACE
#include <atoll_upc/bupc_names.h>
#endif

#endif
