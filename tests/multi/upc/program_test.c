/* SPDX-License-Identifier: BSD-3-Clause

   Static shared objects, accesses, barriers, allocation and locks, on any number of threads. The
   arrays here are those of

     shared int A[10 * THREADS];            shared [3] double B[7 * THREADS + ...];
     shared [] char C[100];                 shared int flag, total;  strict shared int ready;
     shared int initialised = 42;           shared int* private_pointer = &A[5]; */
#include <tests/multi/upc/unit.h>

#include <stdlib.h>
#include <string.h>

int failures;

SHARED_OBJECT(A)
SHARED_OBJECT(B)
SHARED_OBJECT(C)
SHARED_OBJECT(total)
SHARED_OBJECT(initialised)
SHARED_OBJECT(pointers)
SHARED_OBJECT(fields)

struct packed {
  char first;
  unsigned low : 5;
  signed middle : 11;
  char last;
};

static const struct atoll_upc_object objects[] = {
    SHARED_ROW(A, 0, 10 * sizeof(int), sizeof(int), 1),
    SHARED_ROW(B, 0, 21 * sizeof(double), sizeof(double), 3),
    SHARED_ROW(C, 100, 0, 1, 0),
    SHARED_ROW(total, sizeof(int), 0, sizeof(int), 1),
    SHARED_ROW(initialised, sizeof(int), 0, sizeof(int), 1),
    SHARED_ROW(pointers, 0, sizeof(atoll_upc_pointer), sizeof(atoll_upc_pointer), 1),
    SHARED_ROW(fields, sizeof(struct packed), 0, sizeof(struct packed), 1),
};

static atoll_upc_pointer private_pointer;

static void initialise(void) {
  if (atoll_upc_mythread == 0) ATOLL_UPC_PUT(int, ATOLL_UPC_OBJECT(initialised), 42);
  private_pointer = atoll_upc_add(ATOLL_UPC_OBJECT(A), 5, sizeof(int), 1);
}

REGISTER_UNIT(objects, initialise)

static void check_static_objects(void) {
  int i;
  EXPECT(ATOLL_UPC_GET(int, ATOLL_UPC_OBJECT(initialised)) == 42);
  for (i = 0; i < 10 * ATOLL_UPC_THREADS; ++i) {
    EXPECT(ATOLL_UPC_GET(int, atoll_upc_index(ATOLL_UPC_OBJECT(A), i, sizeof(int), 1)) == 0);
  }
  atoll_upc_barrier(0, 0);
  for (i = 0; i < 10 * ATOLL_UPC_THREADS; ++i) {
    if (ATOLL_UPC_AFFINITY_INTEGER(i)) {
      ATOLL_UPC_PUT(int, atoll_upc_index(ATOLL_UPC_OBJECT(A), i, sizeof(int), 1), i * 3);
    }
  }
  atoll_upc_barrier(1, 7);
  for (i = 0; i < 10 * ATOLL_UPC_THREADS; ++i) {
    EXPECT(ATOLL_UPC_GET(int, atoll_upc_index(ATOLL_UPC_OBJECT(A), i, sizeof(int), 1)) == i * 3);
  }
  EXPECT(ATOLL_UPC_GET(int, private_pointer) == 15);
  EXPECT(*(int*)atoll_upc_local(atoll_upc_index(ATOLL_UPC_OBJECT(A), atoll_upc_mythread, 4, 1)) ==
         atoll_upc_mythread * 3);
  atoll_upc_barrier(0, 0);
}

static void check_blocks(void) {
  const int count = 21 * ATOLL_UPC_THREADS;
  atoll_upc_pointer p = ATOLL_UPC_OBJECT(B);
  double sum = 0;
  int i;
  for (i = 0; i < count; ++i, atoll_upc_increment(&p, sizeof(double), 3)) {
    if (ATOLL_UPC_AFFINITY_POINTER(p)) ATOLL_UPC_PUT(double, p, i + 0.5);
  }
  atoll_upc_notify(0, 0);
  atoll_upc_wait(0, 0);
  while (p.offset != B__offset || p.thread != 0) {
    atoll_upc_decrement(&p, sizeof(double), 3);
    sum += ATOLL_UPC_GET(double, p);
  }
  EXPECT(sum == count * (double)count / 2);
}

static void check_shapes(void) {
  const atoll_upc_pointer own =
      atoll_upc_index(ATOLL_UPC_OBJECT(pointers), atoll_upc_mythread, sizeof(atoll_upc_pointer), 1);
  const int next = (atoll_upc_mythread + 1) % ATOLL_UPC_THREADS;
  char text[100];
  ATOLL_UPC_PUT(atoll_upc_pointer, own,
                atoll_upc_index(ATOLL_UPC_OBJECT(A), atoll_upc_mythread, sizeof(int), 1));
  atoll_upc_barrier(0, 0);
  EXPECT(ATOLL_UPC_GET(int, ATOLL_UPC_GET(atoll_upc_pointer,
                                          atoll_upc_index(ATOLL_UPC_OBJECT(pointers), next,
                                                          sizeof(atoll_upc_pointer), 1))) ==
         next * 3);
  if (atoll_upc_mythread == ATOLL_UPC_THREADS - 1) {
    struct packed value = {'a', 0, 0, 'z'};
    memset(text, 'x', sizeof text);
    ATOLL_UPC_PUT_BYTES(ATOLL_UPC_OBJECT(C), text, sizeof text);
    ATOLL_UPC_PUT_BYTES(ATOLL_UPC_OBJECT(fields), &value, sizeof value);
    EXPECT(ATOLL_UPC_PUT_FIELD(struct packed, middle, ATOLL_UPC_OBJECT(fields), -77) == -77);
    EXPECT(ATOLL_UPC_PUT_FIELD(struct packed, low, ATOLL_UPC_OBJECT(fields), 21) == 21);
  }
  atoll_upc_barrier(0, 0);
  ATOLL_UPC_GET_BYTES_STRICT(text, ATOLL_UPC_OBJECT(C), sizeof text);
  EXPECT(text[0] == 'x' && text[99] == 'x');
  EXPECT(ATOLL_UPC_GET_FIELD(struct packed, middle, ATOLL_UPC_OBJECT(fields)) == -77);
  EXPECT(ATOLL_UPC_GET_FIELD(struct packed, low, ATOLL_UPC_OBJECT(fields)) == 21);
  EXPECT(ATOLL_UPC_GET(char, atoll_upc_member(ATOLL_UPC_OBJECT(fields),
                                              offsetof(struct packed, last))) == 'z');
}

static void check_updates(void) {
  const atoll_upc_pointer own =
      atoll_upc_index(ATOLL_UPC_OBJECT(A), atoll_upc_mythread, sizeof(int), 1);
  const double fraction = 5.9;
  EXPECT(ATOLL_UPC_PUT(int, own, fraction) == 5);
  EXPECT(ATOLL_UPC_UPDATE(int, own, *, 3) == 15);
  EXPECT(ATOLL_UPC_POST_UPDATE(int, own, +, 1) == 15);
  EXPECT(ATOLL_UPC_UPDATE_STRICT(int, own, <<, 2) == 64);
  EXPECT(ATOLL_UPC_POST_UPDATE_STRICT(int, own, -, 1) == 64);
  EXPECT(ATOLL_UPC_GET_STRICT(int, own) == 63);
  atoll_upc_barrier(0, 0);
}

/* Each thread allocates in its turn and others fill and free. */
static void check_allocation(void) {
  atoll_upc_pointer together = upc_all_alloc(3 * (size_t)ATOLL_UPC_THREADS, 40);
  const atoll_upc_pointer own_global = upc_global_alloc((size_t)ATOLL_UPC_THREADS, 5000);
  const atoll_upc_pointer own = upc_alloc(1000);
  const int next = (atoll_upc_mythread + 1) % ATOLL_UPC_THREADS;
  const atoll_upc_pointer slot =
      atoll_upc_index(ATOLL_UPC_OBJECT(pointers), atoll_upc_mythread, sizeof(atoll_upc_pointer), 1);
  const atoll_upc_pointer next_slot =
      atoll_upc_index(ATOLL_UPC_OBJECT(pointers), next, sizeof(atoll_upc_pointer), 1);
  atoll_upc_pointer next_block;
  EXPECT(!atoll_upc_is_null(together) && together.thread == 0 && together.phase == 0);
  EXPECT(!atoll_upc_is_null(own_global) && own_global.thread == 0);
  EXPECT(!atoll_upc_is_null(own) && own.thread == (uint32_t)atoll_upc_mythread);
  EXPECT(own_global.offset % 64 == 0 && own.offset % 64 == 0 && together.offset % 64 == 0);
  upc_memset(own, 'o', 1000);
  upc_memset((atoll_upc_pointer){own_global.offset, (uint32_t)next, 0}, 'g', 5000);
  ATOLL_UPC_PUT(atoll_upc_pointer, slot, own);
  atoll_upc_barrier(0, 0);
  next_block = ATOLL_UPC_GET(atoll_upc_pointer, next_slot);
  EXPECT(ATOLL_UPC_GET(char, atoll_upc_add(next_block, 999, 1, 0)) == 'o');
  upc_free(next_block);
  atoll_upc_barrier(0, 0);
  ATOLL_UPC_PUT(atoll_upc_pointer, slot, own_global);
  atoll_upc_barrier(0, 0);
  next_block = ATOLL_UPC_GET(atoll_upc_pointer, next_slot);
  next_block.thread = (uint32_t)((next + 1) % ATOLL_UPC_THREADS);
  EXPECT(ATOLL_UPC_GET(char, atoll_upc_add(next_block, 4999, 1, 0)) == 'g');
  next_block.thread = 0;
  upc_free(next_block);
  atoll_upc_barrier(0, 0);
  upc_all_free(together);
  upc_all_free(ATOLL_UPC_NULL);
  EXPECT(atoll_upc_is_null(upc_alloc(0)) && atoll_upc_is_null(upc_global_alloc(0, 5)));
  EXPECT(atoll_upc_is_null(upc_all_alloc(5, 0)));
  EXPECT(atoll_upc_is_null(upc_alloc((size_t)1 << 60)));
  EXPECT(atoll_upc_is_null(upc_global_alloc((size_t)1 << 40, (size_t)1 << 40)));
  EXPECT(atoll_upc_is_null(upc_all_alloc((size_t)ATOLL_UPC_THREADS, (size_t)1 << 50)));
}

/* Blocks that many threads allocate at once never overlap: each marks its own on all threads, and
   finds its marks again. */
static void check_blocks_are_apart(void) {
  enum { blocks = 40 };
  atoll_upc_pointer held[blocks];
  unsigned seed = 17u * (unsigned)atoll_upc_mythread + 1;
  int round, i;
  uint32_t thread;
  for (round = 0; round < 5; ++round) {
    for (i = 0; i < blocks; ++i) {
      held[i] = upc_global_alloc((size_t)ATOLL_UPC_THREADS, 8 + (size_t)(rand_r(&seed) % 20000));
      for (thread = 0; thread < (uint32_t)ATOLL_UPC_THREADS; ++thread) {
        const atoll_upc_pointer element = {held[i].offset, thread, 0};
        ATOLL_UPC_PUT(int64_t, element, atoll_upc_mythread * 1000 + i);
      }
    }
    atoll_upc_barrier(0, 0);
    for (i = 0; i < blocks; ++i) {
      for (thread = 0; thread < (uint32_t)ATOLL_UPC_THREADS; ++thread) {
        const atoll_upc_pointer element = {held[i].offset, thread, 0};
        EXPECT(ATOLL_UPC_GET(int64_t, element) == atoll_upc_mythread * 1000 + i);
      }
      upc_free(held[i]);
    }
    atoll_upc_barrier(0, 0);
  }
}

static void check_locks(void) {
  const atoll_upc_pointer lock = upc_all_lock_alloc();
  const atoll_upc_pointer own_lock = upc_global_lock_alloc();
  const atoll_upc_pointer counter = ATOLL_UPC_OBJECT(total);
  int i;
  atoll_upc_barrier(0, 0);
  for (i = 0; i < 200; ++i) {
    upc_lock(lock);
    upc_lock(own_lock);
    ATOLL_UPC_PUT(int, counter, ATOLL_UPC_GET(int, counter) + 1);
    upc_unlock(lock);
    upc_unlock(own_lock);
  }
  for (i = 0; i < 20; ++i) {
    while (!upc_lock_attempt(lock)) {
    }
    ATOLL_UPC_PUT(int, counter, ATOLL_UPC_GET(int, counter) + 1);
    upc_unlock(lock);
  }
  atoll_upc_barrier(0, 0);
  EXPECT(ATOLL_UPC_GET(int, counter) == 220 * ATOLL_UPC_THREADS);
  upc_lock(own_lock);
  EXPECT(!upc_lock_attempt(own_lock));
  upc_lock_free(own_lock); /* also while it is locked */
  upc_all_lock_free(lock);
}

/* A thread allocates for all while the others only read a relaxed flag. */
static void check_waiting_threads_need_not_help(void) {
  const atoll_upc_pointer flag = ATOLL_UPC_OBJECT(total);
  atoll_upc_barrier(0, 0);
  if (atoll_upc_mythread == 0) {
    atoll_upc_pointer big = upc_global_alloc((size_t)ATOLL_UPC_THREADS, 3 << 20);
    EXPECT(!atoll_upc_is_null(big));
    upc_free(big);
    ATOLL_UPC_PUT(int, flag, -1);
  } else {
    while (ATOLL_UPC_GET(int, flag) != -1) {
    }
  }
  atoll_upc_barrier(0, 0);
}

static void check_sizes(void) {
  const size_t threads = (size_t)ATOLL_UPC_THREADS;
  const size_t own = (size_t)atoll_upc_mythread;
  EXPECT(upc_affinitysize(100 * threads, 10, own) == 100);
  EXPECT(upc_affinitysize(10 * threads + 7, 10, own) == (own == 0 ? 17u : 10u));
  EXPECT(upc_affinitysize(55, 0, own) == (own == 0 ? 55u : 0u));
  EXPECT(upc_threadof(private_pointer) == 5 % threads && upc_phaseof(private_pointer) == 0);
}

int atoll_upc_program(int count, char** words) {
  EXPECT(count == 2 && strcmp(words[1], "argument") == 0);
  check_static_objects();
  check_blocks();
  check_shapes();
  check_updates();
  check_allocation();
  check_blocks_are_apart();
  check_locks();
  check_waiting_threads_need_not_help();
  check_sizes();
  return failures != 0;
}
