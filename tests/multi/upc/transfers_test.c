/* SPDX-License-Identifier: BSD-3-Clause

   Copies of bytes, blocking and not, atomic operations of every type, casts of other threads'
   memory, and timers. */
#include <tests/multi/upc/unit.h>
#include <upc_atomic.h>
#include <upc_castable.h>
#include <upc_nb.h>
#include <upc_tick.h>

#include <errno.h>
#include <string.h>

int failures;

SHARED_OBJECT(A)
SHARED_OBJECT(B)
SHARED_OBJECT(number)
SHARED_OBJECT(places)

enum { row_bytes = 70000 };

static const struct atoll_upc_object objects[] = {
    SHARED_ROW(A, 0, row_bytes, 1, row_bytes),
    SHARED_ROW(B, 0, row_bytes, 1, row_bytes),
    SHARED_ROW(number, 0, 8, 8, 1),
    SHARED_ROW(places, sizeof(atoll_upc_pointer), 0, sizeof(atoll_upc_pointer), 1),
};

REGISTER_UNIT(objects, NULL)

static char buffer[row_bytes];

static atoll_upc_pointer row(uint64_t offset, int thread) {
  const atoll_upc_pointer p = {offset, (uint32_t)((thread + ATOLL_UPC_THREADS) % ATOLL_UPC_THREADS),
                               0};
  return p;
}

static int is_filled(const char* bytes, char value, size_t count) {
  size_t i;
  for (i = 0; i < count; ++i) {
    if (bytes[i] != value) return 0;
  }
  return 1;
}

static void check_copies(size_t count) {
  const int me = atoll_upc_mythread;
  const atoll_upc_pointer next = row(A__offset, me + 1);
  memset(buffer, 'a' + me, sizeof buffer);
  upc_memput(next, buffer, count);
  atoll_upc_barrier(0, 0);
  upc_memget(buffer, next, count);
  EXPECT(is_filled(buffer, (char)('a' + me), count));
  upc_memcpy(row(B__offset, me + 2), next, count);
  atoll_upc_barrier(0, 0);
  upc_memget(buffer, row(B__offset, me + 2), count);
  EXPECT(is_filled(buffer, (char)('a' + me), count));
  upc_memset(next, 'A' + me, count);
  atoll_upc_barrier(0, 0);
  EXPECT(ATOLL_UPC_GET(char, atoll_upc_add(next, (ptrdiff_t)count - 1, 1, 0)) == 'A' + me);
  atoll_upc_barrier(0, 0);
}

static void check_nonblocking(size_t count) {
  const int me = atoll_upc_mythread;
  const atoll_upc_pointer next = row(A__offset, me + 1);
  upc_handle_t handle;
  memset(buffer, 'n' + me, sizeof buffer);
  upc_sync(upc_memput_nb(next, buffer, count));
  handle = upc_memcpy_nb(row(B__offset, me + 2), next, count);
  while (!upc_sync_attempt(handle)) {
  }
  memset(buffer, 0, sizeof buffer);
  upc_sync(upc_memget_nb(buffer, row(B__offset, me + 2), count));
  EXPECT(is_filled(buffer, (char)('n' + me), count));
  upc_sync(upc_memset_nb(next, 'x', count));
  upc_sync(UPC_COMPLETE_HANDLE);
  EXPECT(upc_sync_attempt(UPC_COMPLETE_HANDLE));
  memset(buffer, 'i' + me, sizeof buffer);
  upc_memput_nbi(next, buffer, count);
  upc_synci();
  upc_memcpy_nbi(row(B__offset, me + 2), next, count);
  while (!upc_synci_attempt()) {
  }
  memset(buffer, 0, sizeof buffer);
  upc_memget_nbi(buffer, row(B__offset, me + 2), count);
  upc_synci();
  EXPECT(is_filled(buffer, (char)('i' + me), count));
  upc_memset_nbi(next, 'y', count);
  upc_synci();
  atoll_upc_barrier(0, 0);
}

#define ADDERS (UPC_ADD | UPC_SUB | UPC_MULT | UPC_INC | UPC_DEC | UPC_MIN | UPC_MAX)
#define ACCESSORS (UPC_GET | UPC_SET | UPC_CSWAP)
#define BITWISE (UPC_AND | UPC_OR | UPC_XOR)

/* Every thread adds to one number, in turns of two functions; then one thread tries each operation.
 */
#define CHECK_NUMBER(TYPE, NAME, OPS)                                            \
  do {                                                                           \
    const atoll_upc_pointer domain = upc_all_atomicdomain_alloc(NAME, OPS, 0);   \
    const atoll_upc_pointer number = row(number__offset, ATOLL_UPC_THREADS - 1); \
    const TYPE unit = 1, seven = 7;                                              \
    TYPE got = 0;                                                                \
    int i;                                                                       \
    if (atoll_upc_mythread == 0) ATOLL_UPC_PUT(TYPE, number, 0);                 \
    atoll_upc_barrier(0, 0);                                                     \
    for (i = 0; i < 50; ++i) {                                                   \
      upc_atomic_relaxed(domain, NULL, UPC_ADD, number, &unit, NULL);            \
      upc_atomic_strict(domain, &got, UPC_INC, number, NULL, NULL);              \
    }                                                                            \
    atoll_upc_barrier(0, 0);                                                     \
    upc_atomic_relaxed(domain, &got, UPC_GET, number, NULL, NULL);               \
    EXPECT(got == (TYPE)(100 * ATOLL_UPC_THREADS));                              \
    atoll_upc_barrier(0, 0);                                                     \
    if (atoll_upc_mythread == 0) {                                               \
      upc_atomic_relaxed(domain, &got, UPC_SET, number, &seven, NULL);           \
      EXPECT(got == (TYPE)(100 * ATOLL_UPC_THREADS));                            \
      upc_atomic_strict(domain, &got, UPC_CSWAP, number, &unit, &unit);          \
      EXPECT(got == 7);                                                          \
      upc_atomic_strict(domain, NULL, UPC_CSWAP, number, &seven, &unit);         \
      upc_atomic_relaxed(domain, NULL, UPC_SUB, number, &seven, NULL);           \
      upc_atomic_relaxed(domain, NULL, UPC_DEC, number, NULL, NULL);             \
      EXPECT(ATOLL_UPC_GET(TYPE, number) == (TYPE) - 7);                         \
      upc_atomic_relaxed(domain, NULL, UPC_MULT, number, &seven, NULL);          \
      EXPECT(ATOLL_UPC_GET(TYPE, number) == (TYPE) - 49);                        \
      upc_atomic_relaxed(domain, &got, UPC_MIN, number, &unit, NULL);            \
      upc_atomic_relaxed(domain, &got, UPC_MAX, number, &seven, NULL);           \
      EXPECT(ATOLL_UPC_GET(TYPE, number) == 7);                                  \
    }                                                                            \
    atoll_upc_barrier(0, 0);                                                     \
    upc_all_atomicdomain_free(domain);                                           \
  } while (0)

static void check_bits(void) {
  const atoll_upc_pointer domain = upc_all_atomicdomain_alloc(UPC_ULONG, BITWISE | ACCESSORS, 0);
  const atoll_upc_pointer number = row(number__offset, 0);
  unsigned long bit = 1ul << atoll_upc_mythread;
  unsigned long got = 0;
  if (atoll_upc_mythread == 0) ATOLL_UPC_PUT(unsigned long, number, 0);
  atoll_upc_barrier(0, 0);
  upc_atomic_relaxed(domain, NULL, UPC_OR, number, &bit, NULL);
  atoll_upc_barrier(0, 0);
  EXPECT(ATOLL_UPC_GET(unsigned long, number) == (1ul << ATOLL_UPC_THREADS) - 1);
  atoll_upc_barrier(0, 0);
  upc_atomic_relaxed(domain, &got, UPC_XOR, number, &bit, NULL);
  EXPECT((got & bit) != 0);
  bit = ~0ul;
  upc_atomic_relaxed(domain, NULL, UPC_AND, number, &bit, NULL);
  atoll_upc_barrier(0, 0);
  EXPECT(ATOLL_UPC_GET(unsigned long, number) == 0);
  upc_all_atomicdomain_free(domain);
}

/* A stack of places, pushed by comparison and swap, which ignores the phase. */
static void check_pointers(void) {
  const atoll_upc_pointer domain = upc_all_atomicdomain_alloc(UPC_PTS, ACCESSORS, 0);
  const atoll_upc_pointer head = ATOLL_UPC_OBJECT(places);
  atoll_upc_pointer first, seen, own = row(number__offset, atoll_upc_mythread);
  int length = 0;
  if (atoll_upc_mythread == 0) ATOLL_UPC_PUT(atoll_upc_pointer, head, ATOLL_UPC_NULL);
  atoll_upc_barrier(0, 0);
  upc_atomic_relaxed(domain, &first, UPC_GET, head, NULL, NULL);
  for (;;) {
    ATOLL_UPC_PUT(uint64_t, own, atoll_upc_is_null(first) ? 0 : first.thread + 1);
    first.phase = 5;
    upc_atomic_strict(domain, &seen, UPC_CSWAP, head, &first, &own);
    if (atoll_upc_equal(seen, first)) break;
    first = seen;
  }
  atoll_upc_barrier(0, 0);
  seen = ATOLL_UPC_GET(atoll_upc_pointer, head);
  while (!atoll_upc_is_null(seen)) {
    const uint64_t next = ATOLL_UPC_GET(uint64_t, seen);
    ++length;
    seen = next == 0 ? ATOLL_UPC_NULL : row(number__offset, (int)next - 1);
  }
  EXPECT(length == ATOLL_UPC_THREADS);
  atoll_upc_barrier(0, 0);
  upc_all_atomicdomain_free(domain);
}

static void check_casts(void) {
  const atoll_upc_pointer next = row(A__offset, atoll_upc_mythread + 1);
  char* const direct = upc_cast(next);
  const upc_thread_info_t info = upc_thread_info(next.thread);
  atoll_upc_barrier(0, 0);
  EXPECT(upc_cast(ATOLL_UPC_NULL) == NULL);
  EXPECT(upc_cast(row(A__offset, atoll_upc_mythread)) != NULL);
  EXPECT((direct != NULL) == (info.guaranteedCastable == UPC_CASTABLE_ALL));
  if (direct != NULL) {
    *direct = 'q';
    EXPECT(ATOLL_UPC_GET(char, next) == 'q');
  }
  EXPECT(upc_atomic_isfast(UPC_PTS, UPC_GET, next) == 0);
  atoll_upc_barrier(0, 0);
}

/* Berkeley's functions: atomics without a domain, casts and arithmetic at run time. */
static void check_extensions(void) {
  const atoll_upc_pointer number = row(number__offset, ATOLL_UPC_THREADS - 1);
  const atoll_upc_pointer next = row(A__offset, atoll_upc_mythread + 1);
  atoll_upc_barrier(0, 0);
  if (atoll_upc_mythread == 0) bupc_atomicI64_set_strict(number, 0);
  atoll_upc_barrier(0, 0);
  bupc_atomicI64_fetchadd_relaxed(number, 5);
  while (bupc_atomicI64_read_strict(number) < 5 * ATOLL_UPC_THREADS) bupc_poll();
  atoll_upc_barrier(0, 0);
  EXPECT(bupc_atomicI64_cswap_strict(number, -1, 0) == 5 * ATOLL_UPC_THREADS);
  atoll_upc_barrier(0, 0);
  if (atoll_upc_mythread == 0) {
    EXPECT(bupc_atomicU64_swap_relaxed(number, 6) == 5 * (uint64_t)ATOLL_UPC_THREADS);
    EXPECT(bupc_atomicL_fetchor_strict(number, 9) == 6);
    EXPECT(bupc_atomicUL_fetchand_strict(number, 11) == 15 &&
           bupc_atomicL_fetchxor_strict(number, 1) == 11);
    EXPECT(bupc_atomicI_read_relaxed(number) == 10);
  }
  EXPECT(bupc_cast(next) == upc_cast(next) && bupc_castable(next) == (upc_cast(next) != NULL));
  EXPECT(bupc_ptradd(ATOLL_UPC_OBJECT(A), 4, 8, 5).thread == 1u % (uint32_t)ATOLL_UPC_THREADS);
  EXPECT(bupc_thread_distance(atoll_upc_mythread, atoll_upc_mythread) == BUPC_THREADS_SAME);
  EXPECT(bupc_thread_castable((unsigned)atoll_upc_mythread) == 1);
  atoll_upc_barrier(0, 0);
}

static void check_descriptions(void) {
  const int me = atoll_upc_mythread;
  const atoll_upc_pointer own = row(A__offset, me);
  char words[BUPC_DUMP_MIN_LENGTH], thread[24];
  EXPECT(bupc_dump_shared(own, words, sizeof words) == 0);
  snprintf(thread, sizeof thread, "thread=%d,", me);
  EXPECT(strstr(words, thread) != NULL);
  errno = 0;
  EXPECT(bupc_dump_shared(own, words, 99) == -1 && errno == EINVAL);
  EXPECT(atoll_upc_equal(bupc_local_to_shared(bupc_cast(own), me, 0), own));
  EXPECT(bupc_getenv("ATOLL_OF_NO_MEANING") == NULL && bupc_getenv("PATH") != NULL);
  EXPECT(bupc_tick_granularityus() > 0 && bupc_tick_overheadus() > 0);
  bupc_trace_printf(("%d", me));
  bupc_trace_setmask("PG");
  EXPECT(bupc_trace_getmask()[0] == 0 && bupc_stats_getmask()[0] == 0);
}

/* Berkeley's transfers: with handles, without, and of chunks that are cut differently on each side.
 */
static void check_chunks(void) {
  const int me = atoll_upc_mythread;
  const atoll_upc_pointer next = row(A__offset, me + 1), other = row(B__offset, me + 2);
  bupc_handle_t handles[3];
  char matrix[4][5] = {"abcd", "efgh", "ijkl", "mnop"};
  char column[4], back[20];
  int i;
  handles[0] = bupc_memput_async(next, "first", 6);
  handles[1] = BUPC_COMPLETE_HANDLE;
  handles[2] = bupc_memset_async(row(A__offset + 64, me + 1), 'x', 9);
  bupc_waitsync_all(handles, 3);
  EXPECT(bupc_trysync_all(handles, 3) == 1 && bupc_trysync_some(handles, 3) == 1);
  bupc_waitsync_some(handles, 3);
  handles[1] = bupc_memput_async(next, "first", 6);
  bupc_waitsync_some(handles, 3);
  EXPECT(handles[1] == BUPC_COMPLETE_HANDLE);
  handles[0] = bupc_memget_async(back, next, 6);
  bupc_waitsync(handles[0]);
  EXPECT(strcmp(back, "first") == 0);
  bupc_memget_asynci(back, row(A__offset + 64, me + 1), 9);
  bupc_waitsynci();
  EXPECT(is_filled(back, 'x', 9));
  bupc_memput_fstrided(next, 2, 10, 2, &matrix[0][1], 1, 5, 4);
  bupc_memget_fstrided(column, 4, 4, 1, next, 2, 10, 2);
  EXPECT(memcmp(column, "bfjn", 4) == 0);
  bupc_memcpy_fstrided(other, 1, 3, 4, next, 2, 10, 2);
  atoll_upc_barrier(0, 0);
  for (i = 0; i < 4; ++i) {
    upc_memget(back, row(B__offset + 3 * (uint64_t)i, me + 2), 1);
    EXPECT(back[0] == "bfjn"[i]);
  }
  atoll_upc_barrier(0, 0);
}

/* Lists and levels: a block of the matrix goes to three threads and returns in another shape. */
static void check_lists(void) {
  const int me = atoll_upc_mythread;
  const uint64_t number = A__offset + 1000 + 200 * (uint64_t)me;
  char matrix[4][5] = {"abcd", "efgh", "ijkl", "mnop"}, back[12] = "";
  const size_t strides[] = {5, 10}, count[] = {2, 2, 2}, flat[] = {2, 4}, room[] = {6, 30};
  bupc_pmemvec_t own[] = {{matrix[0], 3}, {matrix[2], 0}, {&matrix[3][1], 3}};
  bupc_smemvec_t shared_pieces[3];
  bupc_pmemvec_t all = {back, 6};
  atoll_upc_pointer places[3];
  const void* letters[] = {&matrix[1][0], &matrix[2][1], &matrix[3][2]};
  void* const whole[] = {back};
  bupc_handle_t handle;
  int i;
  for (i = 0; i < 3; ++i) {
    shared_pieces[i].addr = row(number + 10 * (uint64_t)i, me + i);
    shared_pieces[i].len = (size_t)i + 1;
    places[i] = row(number + 50 + (uint64_t)i, me + i);
  }
  bupc_memput_vlist(3, shared_pieces, 3, own);
  bupc_memget_vlist(1, &all, 3, shared_pieces);
  EXPECT(memcmp(back, "abcnop", 6) == 0);
  handle = bupc_memput_ilist_async(3, places, 1, 3, letters, 1);
  bupc_waitsync(handle);
  handle = bupc_memget_ilist_async(1, whole, 3, 3, places, 1);
  while (!bupc_trysync(handle)) {
  }
  EXPECT(memcmp(back, "ejo", 3) == 0);
  bupc_memput_strided(row(number + 60, me + 1), room, matrix, strides, count, 2);
  bupc_memcpy_strided(row(number + 130, me + 1), flat, row(number + 60, me + 1), room, count, 2);
  bupc_memget_fstrided(back, 8, 0, 1, row(number + 130, me + 1), 8, 0, 1);
  EXPECT(memcmp(back, "abefijmn", 8) == 0);
  memset(back, 0, sizeof back);
  handle = bupc_memget_strided_async(back, flat, row(number + 60, me + 1), room, count, 2);
  bupc_waitsync_all(&handle, 1);
  EXPECT(memcmp(back, "abefijmn", 8) == 0);
  bupc_begin_accessregion();
  for (i = 0; i < 4; ++i) bupc_memput_asynci(row(number + (uint64_t)i, me + 1), &"xyzw"[i], 1);
  bupc_waitsync(bupc_end_accessregion());
  upc_memget(back, row(number, me + 1), 4);
  EXPECT(memcmp(back, "xyzw", 4) == 0);
  atoll_upc_barrier(0, 0);
}

/* Each thread feeds the next by its semaphore, and all threads take from that of thread 0. */
static void check_semaphores(void) {
  const int me = atoll_upc_mythread, right = (me + 1) % ATOLL_UPC_THREADS;
  const atoll_upc_pointer mailbox = row(places__offset, me);
  atoll_upc_pointer full, flag, next, first;
  char got[8] = "";
  int round;
  full = bupc_sem_alloc(0);
  flag = bupc_sem_alloc(BUPC_SEM_BOOLEAN | BUPC_SEM_SPRODUCER | BUPC_SEM_SCONSUMER);
  EXPECT(upc_threadof(full) == (size_t)me && upc_threadof(flag) == (size_t)me);
  ATOLL_UPC_PUT(atoll_upc_pointer, mailbox, full);
  atoll_upc_barrier(0, 0);
  next = ATOLL_UPC_GET(atoll_upc_pointer, row(places__offset, right));
  first = ATOLL_UPC_GET(atoll_upc_pointer, row(places__offset, 0));
  EXPECT(bupc_sem_try(full) == 0 && bupc_sem_tryN(full, 3) == 0);
  atoll_upc_barrier(0, 0);
  for (round = 0; round < 20; ++round) {
    const char words[2] = {(char)('a' + round), (char)me};
    bupc_memput_signal(row(B__offset + 2 * (uint64_t)round, right), words, 2, next, 2);
    bupc_sem_wait(full);
    bupc_sem_waitN(full, 1);
    upc_memget(got, row(B__offset + 2 * (uint64_t)round, me), 2);
    EXPECT(got[0] == 'a' + round && (got[1] + 1) % ATOLL_UPC_THREADS == me);
  }
  bupc_memput_signal_async(row(B__offset, right), "end", 4, next, 1);
  bupc_sem_wait(full);
  upc_memget(got, row(B__offset, me), 4);
  EXPECT(strcmp(got, "end") == 0);
  bupc_sem_post(flag);
  bupc_sem_post(flag); /* 1 already */
  EXPECT(bupc_sem_try(flag) == 1 && bupc_sem_try(flag) == 0);
  atoll_upc_barrier(0, 0);
  if (me == ATOLL_UPC_THREADS - 1) bupc_sem_postN(first, (size_t)ATOLL_UPC_THREADS);
  bupc_sem_wait(first);
  atoll_upc_barrier(0, 0);
  EXPECT(bupc_sem_try(full) == 0);
  bupc_sem_free(full);
  bupc_sem_free(flag);
  bupc_sem_free(ATOLL_UPC_NULL);
}

int atoll_upc_program(int count, char** words) {
  const upc_tick_t start = upc_ticks_now();
  (void)count, (void)words;
  check_copies(1);
  check_copies(5000);
  check_copies(row_bytes);
  check_nonblocking(3);
  check_nonblocking(row_bytes);
  CHECK_NUMBER(int, UPC_INT, ADDERS | ACCESSORS | BITWISE);
  CHECK_NUMBER(unsigned, UPC_UINT32, ADDERS | ACCESSORS);
  CHECK_NUMBER(long, UPC_LONG, ADDERS | ACCESSORS);
  CHECK_NUMBER(uint64_t, UPC_UINT64, ADDERS | ACCESSORS);
  CHECK_NUMBER(float, UPC_FLOAT, ADDERS | ACCESSORS);
  CHECK_NUMBER(double, UPC_DOUBLE, ADDERS | ACCESSORS);
  check_bits();
  check_pointers();
  check_casts();
  check_extensions();
  check_descriptions();
  check_chunks();
  check_lists();
  check_semaphores();
  EXPECT(upc_ticks_to_ns(upc_ticks_now() - start) > 1000);
  return failures != 0;
}
