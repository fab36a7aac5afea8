/* SPDX-License-Identifier: BSD-3-Clause

   The part of the library that is compiled into the fast paths of every front and of C programs:
   the route to a rank's part of a segment, how an address becomes one of this process, and the
   functions for everything that inline code does not do. The rest of the library may change without
   this header.

   A segment is memory that ranks have shared with each other: each rank has a part, which the
   others address as its owner does. Where the part of a rank is mapped here at those addresses, as
   it is between the ranks of a host, a put is a store and a get is a load, after one comparison
   that checks the bounds as well. No counter is written. Any other transfer goes to the library,
   which does it or ends the job with a message that says what is wrong.

   Sizes and offsets are in bytes. Threads: as the runtime was started. The segment's rows are
   written in set-up, before transfers to them begin: all while it is shared, and this rank's own
   where it places its part. After that a row changes only when its rank is lost, so that inline
   code no longer reaches its part. Functions here are for outside of handlers of active messages.
   The source of a put may be reused when the call returns.

   The header compiles as C99 and as C++11, and as any later standard. */
#ifndef ATOLL_ABI_H
#define ATOLL_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Two numbers. The version is raised, and the minor version starts again at 0, when something here
   changes that compiled programs contain: a program of another version is refused. The minor
   version is raised when something is only added (a function, a value of an enumeration): a program
   of an older one runs, because all that it uses is still there, and one of a newer one is refused,
   because the library may lack what it uses. Programs of fronts do not depend on the minor version:
   the stamp of a front is raised when its headers begin to use something new. */
#define ATOLL_ABI_VERSION 3u
#define ATOLL_ABI_MINOR 1u
/* Both, for atoll_library_heaps(). A program that gives it the version alone has minor version 0.
 */
#define ATOLL_ABI (ATOLL_ABI_MINOR << 16 | ATOLL_ABI_VERSION)

/* ---- layout ---------------------------------------------------------------------------------- */

/* How this process reaches the part of one rank: it is mapped here from `local` on (null: nowhere).
   word_places is the number of offsets in the part at which 8 bytes can lie that loads and stores
   reach: 0 where they do not reach the part, or are not to, or the part is smaller than that.
   distance_base is the owner's address of the part where it is mapped here at that address, and
   where it is not mapped; otherwise the same with ATOLL_ELSEWHERE, so that no address of the part
   is at a distance below word_places. So one comparison decides whether a word lies inside and the
   owner's address of it is ours. bytes is 0 where the rank has no part. */
typedef struct atoll_route {
  char* local;
  uintptr_t distance_base;
  size_t word_places;
  size_t bytes;
} atoll_route;

/* No address of a process has this bit. */
#define ATOLL_ELSEWHERE (~(UINTPTR_MAX >> 1))

/* The data that inline code reads of a segment: a route per rank of the job. Inline code transfers
   only to ranks below inline_ranks: all ranks, or none where each transfer must be counted. */
typedef struct atoll_segment {
  const atoll_route* routes;
  uint32_t inline_ranks;
  uint32_t ranks;
  uint32_t number; /* the same on all ranks of the job once the segment is shared by all */
} atoll_segment;

/* An operation under way; null: complete. Of one holder at a time, to be ended by a wait, or by a
   test that was true. */
typedef struct atoll_operation* atoll_event;

/* A record of operations that are waited for together. */
typedef struct atoll_operation_group* atoll_group;

/* How an operation has ended: with ATOLL_PEER_LOST if any part of it could not be done because its
   rank is lost. Its data then mean nothing, here and there. ATOLL_UNDER_WAY: it has not ended. */
enum atoll_status { ATOLL_UNDER_WAY = -1, ATOLL_DONE = 0, ATOLL_PEER_LOST = 1 };

/* The types and operations of remote atomics, which are those of GASNet-EX. */
enum atoll_type { ATOLL_I32 = 4, ATOLL_U32, ATOLL_I64, ATOLL_U64, ATOLL_F32, ATOLL_F64 };
enum atoll_atomic_operation {
  ATOLL_ATOMIC_AND,
  ATOLL_ATOMIC_OR,
  ATOLL_ATOMIC_XOR,
  ATOLL_ATOMIC_ADD,
  ATOLL_ATOMIC_SUB,
  ATOLL_ATOMIC_MULT,
  ATOLL_ATOMIC_MIN,
  ATOLL_ATOMIC_MAX,
  ATOLL_ATOMIC_INC,
  ATOLL_ATOMIC_DEC,
  ATOLL_ATOMIC_SET,
  ATOLL_ATOMIC_CAS,
  ATOLL_ATOMIC_GET,
  ATOLL_ATOMIC_FETCH_AND = 14,
  ATOLL_ATOMIC_FETCH_OR,
  ATOLL_ATOMIC_FETCH_XOR,
  ATOLL_ATOMIC_FETCH_ADD,
  ATOLL_ATOMIC_FETCH_SUB,
  ATOLL_ATOMIC_FETCH_MULT,
  ATOLL_ATOMIC_FETCH_MIN,
  ATOLL_ATOMIC_FETCH_MAX,
  ATOLL_ATOMIC_FETCH_INC,
  ATOLL_ATOMIC_FETCH_DEC,
  ATOLL_ATOMIC_SWAP,
  ATOLL_ATOMIC_FETCH_CAS
};

/* A remote atomic: values of the two enumerations above, and numbers as bits (of 32-bit types the
   low half). */
typedef struct atoll_atomic {
  int type;
  int operation;
  uint64_t operand;
  uint64_t operand2;
  uint64_t old_value;
} atoll_atomic;

/* ---- the library's side ---------------------------------------------------------------------- */

/* The heaps of all ranks, once a front has started the runtime: segment 0, in which all fronts
   allocate. Null before that. `abi` is ATOLL_ABI: ends the process with a message when the program
   was compiled with another version of this header, or with a newer minor version. */
const atoll_segment* atoll_library_heaps(unsigned abi);

/* The segment of this number; null when this process has none. */
const atoll_segment* atoll_library_segment(uint32_t number);

/* The number of this rank, and the number of ranks. To be called once the runtime has started. */
uint32_t atoll_library_rank(void);
uint32_t atoll_library_ranks(void);

/* Memory of this rank's shared heap, aligned to 64 bytes; null when there is not enough. */
void* atoll_library_allocate(size_t bytes);
void atoll_library_free(void* memory);

/* Transfers to any rank and of any size: those that inline code does not do, and those that it
   does. */
void atoll_library_put(const atoll_segment* shared, uint32_t rank, void* to, const void* from,
                       size_t bytes);
void atoll_library_get(const atoll_segment* shared, void* to, uint32_t rank, const void* from,
                       size_t bytes);
atoll_event atoll_library_put_nb(const atoll_segment* shared, uint32_t rank, void* to,
                                 const void* from, size_t bytes);
atoll_event atoll_library_get_nb(const atoll_segment* shared, void* to, uint32_t rank,
                                 const void* from, size_t bytes);

/* A remote atomic on a number aligned to its size, operands and result as bits (of 32-bit types the
   low half). Returns the old value of the number if the operation fetches, else 0. If it has two
   operands, the number is compared with the first. */
uint64_t atoll_library_atomic(const atoll_segment* shared, uint32_t rank, void* remote, int type,
                              int operation, uint64_t operand, uint64_t operand2);

/* Whether the operation is complete (1) or not yet (0), after a poll; and waiting until it is. Both
   empty the event once it is. */
int atoll_library_test(atoll_event* done);
void atoll_library_wait(atoll_event* done);

/* Runs what has arrived, a bounded amount; returns how many handlers ran. */
size_t atoll_library_progress(void);

/* Waits for all ranks of the job, making progress. */
void atoll_library_barrier(void);

/* ---- lost ranks ------------------------------------------------------------------------------ */

/* From now on a lost rank (its process has failed, or the network says that nothing reaches it)
   does not end the job with one message. Transfers of fronts to it then end without an error,
   unless the front reports it itself. Progress calls `handler` (which may be null) once for each
   rank that is lost, now or before: with `context`, the rank and a text that says why, on whichever
   thread makes progress, outside of handlers of messages; it may communicate. To be called by all
   ranks. A process that fails is survived where all ranks have called this, under `atoll run`, once
   a barrier after the calls is complete. */
void atoll_library_on_peer_lost(void (*handler)(void* context, uint32_t rank, const char* cause),
                                void* context);

/* Whether a rank is lost (1), as far as is known here. */
int atoll_library_is_lost(uint32_t rank);

/* The functions above whose names these begin with, returning a value of enum atoll_status. An
   operation at a lost rank ends at once. Without that call a loss ends the job and these do not
   return, unless a front has asked to go on (coarrays may): then they give ATOLL_PEER_LOST, too. */
int atoll_library_put_status(const atoll_segment* shared, uint32_t rank, void* to, const void* from,
                             size_t bytes);
int atoll_library_get_status(const atoll_segment* shared, void* to, uint32_t rank, const void* from,
                             size_t bytes);
int atoll_library_wait_status(atoll_event* done);
/* ATOLL_UNDER_WAY: the event still holds the operation; otherwise it is empty. */
int atoll_library_test_status(atoll_event* done);
/* Writes old_value if the operation fetches and ends with ATOLL_DONE. */
int atoll_library_atomic_status(const atoll_segment* shared, uint32_t rank, void* remote,
                                atoll_atomic* request);
/* ATOLL_PEER_LOST: a rank is lost, and perhaps not all others have come. From then on every such
   barrier ends so. */
int atoll_library_barrier_status(void);

/* ---- records of operations ------------------------------------------------------------------- */

/* A new record; null when there is no memory. Any thread may start operations in it, and wait. No
   operation may be under way in one that ends. */
atoll_group atoll_library_group_begin(void);
void atoll_library_group_end(atoll_group group);

/* Transfers that count in a record until they are complete. The target of a get means something
   after the wait. */
void atoll_library_put_in(atoll_group group, const atoll_segment* shared, uint32_t rank, void* to,
                          const void* from, size_t bytes);
void atoll_library_get_in(atoll_group group, const atoll_segment* shared, void* to, uint32_t rank,
                          const void* from, size_t bytes);

/* Waits until all that was started in the record before is complete; or asks, after a poll, which
   may give ATOLL_UNDER_WAY. ATOLL_PEER_LOST: one that has ended since the last wait, or the last
   test that did not give ATOLL_UNDER_WAY, has lost its rank. */
int atoll_library_group_wait(atoll_group group);
int atoll_library_group_test(atoll_group group);

#ifdef __cplusplus
}
#endif

/* ---- the direct path ------------------------------------------------------------------------- */

#if defined(__cplusplus)
#define ATOLL_INLINE inline
#else
#define ATOLL_INLINE static inline
#endif
#define ATOLL_LIKELY(condition) __builtin_expect(!!(condition), 1)

/* Stands before and after each inline copy. It orders this thread's earlier stores before its later
   ones, its earlier loads before its later ones and its earlier loads before its later stores, for
   other ranks as well. So these hold without anything else:

   - A rank that gets, or reads in its own part, a word that was put finds the data of all puts
     that the putting thread had made before, and all that it had stored before.
   - Puts are there when a barrier, a message or an atomic that releases, begun later, is noticed.
   - A get after another one that has seen a flag sees what was put before the flag.
   - A program that reads a variable again after a transfer reads memory again. To wait for a word
     in its own part without a transfer it needs a volatile or atomic read, or a call of progress.

   One order is not kept: a get may be done before an earlier put of the same thread to another
   place can be seen. That takes an atomic, a barrier or a full fence between the two. On x86 the
   processor keeps these orders by itself, and only the compiler is held back. The row is read
   again for each copy because the library may have written it in a call on the other path. */
#if defined(__x86_64__) || defined(__i386__)
#define ATOLL_ORDER() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#else
#define ATOLL_ORDER() __atomic_thread_fence(__ATOMIC_ACQ_REL)
#endif

/* Longer copies are worth a call: the library chooses how to copy by size. */
#define ATOLL_INLINE_MAX 4096

/* The part's first byte by its owner's address. */
ATOLL_INLINE uintptr_t atoll_route_remote(const atoll_route* route) {
  return route->distance_base & ~ATOLL_ELSEWHERE;
}

/* Bytes of the part that loads and stores reach. */
ATOLL_INLINE size_t atoll_route_direct_bytes(const atoll_route* route) {
  return route->word_places == 0 ? 0 : route->word_places + 7;
}

/* The address in this process of `bytes` bytes at the owner's address `remote`; null if there are
   no bytes, or they are not reached, or not all of them lie inside the part. An address below the
   part wraps to a huge offset, and no bytes to a huge number of them, so that two comparisons do
   for everything. */
ATOLL_INLINE char* atoll_route_find(const atoll_route* route, const void* remote, size_t bytes) {
  const uintptr_t offset = (uintptr_t)remote - atoll_route_remote(route);
  const size_t reached = atoll_route_direct_bytes(route);
  char* found;
  if (bytes - 1 >= reached || offset > reached - bytes) return NULL;
  found = route->local + offset;
  if (found == NULL) __builtin_unreachable(); /* so that the caller's test costs nothing */
  return found;
}

/* Whether inline code transfers `bytes` bytes at this offset of the part. Sizes of up to 8 bytes
   that are known when compiling take one comparison; in the last 7 bytes of a part, where a smaller
   size could lie, they are then left to the library. */
ATOLL_INLINE int atoll_route_reaches(const atoll_route* route, uintptr_t offset, size_t bytes) {
  size_t reached;
  if (__builtin_constant_p(bytes) && bytes - 1 < 8) return offset < route->word_places;
  reached = atoll_route_direct_bytes(route);
  return bytes - 1 < reached && offset <= reached - bytes;
}

/* The address in this process of such a transfer to the owner's address `remote`, which is the same
   one; null where inline code does not transfer. */
ATOLL_INLINE char* atoll_route_find_inline(const atoll_route* route, const void* remote,
                                           size_t bytes) {
  char* const found = (char*)(uintptr_t)remote;
  if (!atoll_route_reaches(route, (uintptr_t)remote - route->distance_base, bytes)) return NULL;
  if (found == NULL) __builtin_unreachable();
  return found;
}

/* The same for a rank of the job: null as well for many bytes, and for ranks that the library is to
   serve. */
ATOLL_INLINE char* atoll_segment_find(const atoll_segment* shared, uint32_t rank,
                                      const void* remote, size_t bytes) {
  if (rank >= shared->inline_ranks || bytes > ATOLL_INLINE_MAX) return NULL;
  return atoll_route_find_inline(shared->routes + rank, remote, bytes);
}

/* One machine word is by far the most frequent size, and then the copy is one instruction. */
ATOLL_INLINE void atoll_copy(void* to, const void* from, size_t bytes) {
  ATOLL_ORDER();
  if (bytes == 8) {
    memcpy(to, from, 8);
  } else {
    memcpy(to, from, bytes);
  }
  ATOLL_ORDER();
}

/* Whether the source is a variable of at most 8 bytes that the compiler sees. The call of the
   library is then given a copy of it: the address of the variable goes nowhere, so it stays in a
   register where the transfer is done inline. (Other sources may be memory of a device.) */
#define ATOLL_IS_KNOWN_WORD(from, bytes) \
  (__builtin_constant_p(bytes) && (bytes) - 1 < 8 && __builtin_object_size(from, 0) + 1 > (bytes))

/* ---- put and get ----------------------------------------------------------------------------- */

/* Copies `bytes` bytes at `from` here to `to` of `rank`. Visible there when it returns. */
ATOLL_INLINE void atoll_put(const atoll_segment* shared, uint32_t rank, void* to, const void* from,
                            size_t bytes) {
  char* const direct = atoll_segment_find(shared, rank, to, bytes);
  if (ATOLL_LIKELY(direct != NULL)) {
    atoll_copy(direct, from, bytes);
  } else if (ATOLL_IS_KNOWN_WORD(from, bytes)) {
    char word[8];
    memcpy(word, from, bytes);
    atoll_library_put(shared, rank, to, word, bytes);
  } else {
    atoll_library_put(shared, rank, to, from, bytes);
  }
}

/* Copies `bytes` bytes at `from` of `rank` to `to` here. */
ATOLL_INLINE void atoll_get(const atoll_segment* shared, void* to, uint32_t rank, const void* from,
                            size_t bytes) {
  const char* const direct = atoll_segment_find(shared, rank, from, bytes);
  if (ATOLL_LIKELY(direct != NULL)) {
    atoll_copy(to, direct, bytes);
  } else {
    atoll_library_get(shared, to, rank, from, bytes);
  }
}

/* The same without waiting: the event tells when it is complete. */
ATOLL_INLINE atoll_event atoll_put_nb(const atoll_segment* shared, uint32_t rank, void* to,
                                      const void* from, size_t bytes) {
  char* const direct = atoll_segment_find(shared, rank, to, bytes);
  char word[8];
  if (ATOLL_LIKELY(direct != NULL)) {
    atoll_copy(direct, from, bytes);
    return NULL;
  }
  if (ATOLL_IS_KNOWN_WORD(from, bytes)) {
    memcpy(word, from, bytes);
    from = word;
  }
  return atoll_library_put_nb(shared, rank, to, from, bytes);
}
ATOLL_INLINE atoll_event atoll_get_nb(const atoll_segment* shared, void* to, uint32_t rank,
                                      const void* from, size_t bytes) {
  const char* const direct = atoll_segment_find(shared, rank, from, bytes);
  if (!ATOLL_LIKELY(direct != NULL)) return atoll_library_get_nb(shared, to, rank, from, bytes);
  atoll_copy(to, direct, bytes);
  return NULL;
}

ATOLL_INLINE int atoll_test(atoll_event* done) { return *done == NULL || atoll_library_test(done); }
ATOLL_INLINE void atoll_wait(atoll_event* done) {
  if (*done != NULL) atoll_library_wait(done);
}

/* The same with a status, a value of enum atoll_status. Inline transfers to memory that is mapped
   here are done: the library takes the routes to a rank away when it learns that the rank is lost.
 */
ATOLL_INLINE int atoll_put_status(const atoll_segment* shared, uint32_t rank, void* to,
                                  const void* from, size_t bytes) {
  char* const direct = atoll_segment_find(shared, rank, to, bytes);
  if (!ATOLL_LIKELY(direct != NULL)) return atoll_library_put_status(shared, rank, to, from, bytes);
  atoll_copy(direct, from, bytes);
  return ATOLL_DONE;
}
ATOLL_INLINE int atoll_get_status(const atoll_segment* shared, void* to, uint32_t rank,
                                  const void* from, size_t bytes) {
  const char* const direct = atoll_segment_find(shared, rank, from, bytes);
  if (!ATOLL_LIKELY(direct != NULL)) return atoll_library_get_status(shared, to, rank, from, bytes);
  atoll_copy(to, direct, bytes);
  return ATOLL_DONE;
}
ATOLL_INLINE int atoll_test_status(atoll_event* done) {
  return *done == NULL ? ATOLL_DONE : atoll_library_test_status(done);
}
ATOLL_INLINE int atoll_wait_status(atoll_event* done) {
  return *done == NULL ? ATOLL_DONE : atoll_library_wait_status(done);
}

/* ---- atomics --------------------------------------------------------------------------------- */

/* An operation of enum atoll_atomic_operation on an unsigned number at address `remote` of `rank`.
   Returns the old value of the number if the operation fetches; the result of others means nothing.
   If the number is mapped here, the operation is this processor's instruction. It orders no other
   access. On signed numbers all operations but MULT, MIN and MAX do the same. */
#define ATOLL_DEFINE_ATOMIC(name, number, type)                                                    \
  ATOLL_INLINE number name(const atoll_segment* shared, uint32_t rank, number* remote,             \
                           int operation, number operand, number operand2) {                       \
    char* const direct = atoll_segment_find(shared, rank, remote, sizeof *remote);                 \
    number* const local = (number*)(void*)direct;                                                  \
    if (ATOLL_LIKELY(direct != NULL) && (uintptr_t)direct % sizeof *remote == 0) {                 \
      switch (operation) {                                                                         \
        case ATOLL_ATOMIC_ADD:                                                                     \
        case ATOLL_ATOMIC_FETCH_ADD:                                                               \
          return __atomic_fetch_add(local, operand, __ATOMIC_RELAXED);                             \
        case ATOLL_ATOMIC_AND:                                                                     \
        case ATOLL_ATOMIC_FETCH_AND:                                                               \
          return __atomic_fetch_and(local, operand, __ATOMIC_RELAXED);                             \
        case ATOLL_ATOMIC_OR:                                                                      \
        case ATOLL_ATOMIC_FETCH_OR:                                                                \
          return __atomic_fetch_or(local, operand, __ATOMIC_RELAXED);                              \
        case ATOLL_ATOMIC_XOR:                                                                     \
        case ATOLL_ATOMIC_FETCH_XOR:                                                               \
          return __atomic_fetch_xor(local, operand, __ATOMIC_RELAXED);                             \
        case ATOLL_ATOMIC_GET:                                                                     \
          return __atomic_load_n(local, __ATOMIC_RELAXED);                                         \
        case ATOLL_ATOMIC_SET:                                                                     \
          __atomic_store_n(local, operand, __ATOMIC_RELAXED);                                      \
          return 0;                                                                                \
        case ATOLL_ATOMIC_SWAP:                                                                    \
          return __atomic_exchange_n(local, operand, __ATOMIC_RELAXED);                            \
        case ATOLL_ATOMIC_CAS:                                                                     \
        case ATOLL_ATOMIC_FETCH_CAS:                                                               \
          (void)__atomic_compare_exchange_n(local, &operand, operand2, 0, __ATOMIC_RELAXED,        \
                                            __ATOMIC_RELAXED);                                     \
          return operand;                                                                          \
        default:                                                                                   \
          break;                                                                                   \
      }                                                                                            \
    }                                                                                              \
    return (number)atoll_library_atomic(shared, rank, remote, type, operation, operand, operand2); \
  }
ATOLL_DEFINE_ATOMIC(atoll_atomic32, uint32_t, ATOLL_U32)
ATOLL_DEFINE_ATOMIC(atoll_atomic64, uint64_t, ATOLL_U64)
#undef ATOLL_DEFINE_ATOMIC

#endif
