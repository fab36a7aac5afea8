/* SPDX-License-Identifier: BSD-3-Clause

   The arithmetic of pointers-to-shared against the layout of the language (UPC language
   specification 1.3, 6.4.2 and 6.4.3): element i of an array in blocks of B lies on thread
   floor(i / B) mod THREADS with phase i mod B, and is there element floor(i / (B * THREADS)) * B +
   phase. Pointers to any two elements, also to those before the first one, must be related as their
   indices are.

   Compiled with THREADS as a literal, and with THREADS as a number that main sets. main is in
   another file than check_arithmetic(), so that the compiler does not know the number. */
#include <atoll_upc/pointer.h>

#include <stdio.h>
#include <stdlib.h>

int check_arithmetic(void);

static int64_t floor_of(int64_t x, int64_t divisor) {
  return x >= 0 ? x / divisor : -((-x + divisor - 1) / divisor);
}

/* The pointer to element i of an array whose thread 0 part begins at `base`. */
static atoll_upc_pointer element(uint64_t base, int64_t i, size_t size, size_t block) {
  const int64_t threads = ATOLL_UPC_THREADS;
  atoll_upc_pointer p = {base, 0, 0};
  if (block == 0) {
    p.offset += (uint64_t)i * size;
    return p;
  }
  {
    const int64_t number = floor_of(i, (int64_t)block);
    const int64_t phase = i - number * (int64_t)block;
    const int64_t row = floor_of(number, threads);
    p.offset += (uint64_t)(row * (int64_t)block + phase) * size;
    p.thread = (uint32_t)(number - row * threads);
    p.phase = (uint32_t)phase;
  }
  return p;
}

static int is_same(atoll_upc_pointer p, atoll_upc_pointer q) {
  return p.offset == q.offset && p.thread == q.thread && p.phase == q.phase;
}

static int failures;

static void expect(int holds, const char* what, size_t size, size_t block, int64_t i, int64_t j) {
  if (holds) return;
  ++failures;
  printf("%s: THREADS %d, element of %zu bytes, block %zu, from element %lld to %lld\n", what,
         ATOLL_UPC_THREADS, size, block, (long long)i, (long long)j);
}

/* Inlined into a function per case, so that sizes and blocks are constants. */
ATOLL_UPC_INLINE void check_pair(int64_t i, int64_t j, size_t size, size_t block) {
  const uint64_t base = UINT64_C(1) << 40;
  const atoll_upc_pointer p = element(base, i, size, block);
  const atoll_upc_pointer q = element(base, j, size, block);
  const int order = atoll_upc_compare(q, p, size, block);
  atoll_upc_pointer moving = p;
  expect(is_same(atoll_upc_add(p, j - i, size, block), q), "p + i", size, block, i, j);
  expect(atoll_upc_subtract(q, p, size, block) == j - i, "q - p", size, block, i, j);
  expect((order < 0) == (j < i) && (order > 0) == (j > i), "q < p", size, block, i, j);
  expect(atoll_upc_equal(p, q) == (i == j), "q == p", size, block, i, j);
  expect(is_same(atoll_upc_add(p, 1, size, block), element(base, i + 1, size, block)), "p + 1",
         size, block, i, i + 1);
  expect(is_same(atoll_upc_add(p, -1, size, block), element(base, i - 1, size, block)), "p - 1",
         size, block, i, i - 1);
  expect(is_same(atoll_upc_post_increment(&moving, size, block), p), "p++", size, block, i, i);
  expect(is_same(moving, element(base, i + 1, size, block)), "++p", size, block, i, i + 1);
  atoll_upc_decrement(&moving, size, block);
  expect(is_same(moving, p), "--p", size, block, i, i);
  expect(is_same(atoll_upc_post_decrement(&moving, size, block), p), "p--", size, block, i, i);
  expect(is_same(atoll_upc_increment(&moving, size, block), p), "++p", size, block, i, i);
}

static uint64_t random_state = UINT64_C(88172645463325252);
static uint64_t random_number(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

/* Indices near 0, near the ends of blocks, and far away. */
static int64_t random_index(void) {
  const int64_t spans[] = {3, 40, 1000, INT64_C(1) << 31};
  const int64_t span = spans[random_number() % 4];
  return (int64_t)(random_number() % (uint64_t)(2 * span)) - span;
}

#define CASE(SIZE, BLOCK) \
  for (round = 0; round < 2000; ++round) check_pair(random_index(), random_index(), SIZE, BLOCK);
#define CASES(SIZE) \
  CASE(SIZE, 0)     \
  CASE(SIZE, 1)     \
  CASE(SIZE, 2)     \
  CASE(SIZE, 3)     \
  CASE(SIZE, 4)     \
  CASE(SIZE, 5) CASE(SIZE, 7) CASE(SIZE, 16) CASE(SIZE, 100) CASE(SIZE, 4096) CASE(SIZE, 204304)

static void check_constants(void) {
  int round;
  CASES(1)
  CASES(8)
  CASES(12)
#ifndef FEWER_SIZES
  CASES(4)
  CASES(24)
#endif
}

/* Sizes that are not known when compiling. */
static void check_random(void) {
  int round;
  for (round = 0; round < 20000; ++round) {
    const size_t size = 1 + random_number() % 100;
    const size_t block = random_number() % 300;
    check_pair(random_index(), random_index(), size, block);
  }
}

static void check_others(void) {
  const atoll_upc_pointer p = {640, 0, 3};
  const atoll_upc_pointer member = atoll_upc_member(p, 16);
  expect(is_same(atoll_upc_reset_phase(p), (atoll_upc_pointer){640, 0, 0}), "phase 0", 0, 0, 0, 0);
  expect(is_same(member, (atoll_upc_pointer){656, 0, 0}), "member", 0, 0, 0, 0);
  expect(atoll_upc_equal(p, atoll_upc_reset_phase(p)), "== ignores the phase", 0, 0, 0, 0);
  expect(!atoll_upc_is_null(p) && atoll_upc_is_null(ATOLL_UPC_NULL), "null", 0, 0, 0, 0);
}

int check_arithmetic(void) {
  check_constants();
  check_random();
  check_others();
  return failures != 0;
}
