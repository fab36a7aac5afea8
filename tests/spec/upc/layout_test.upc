/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The layout of shared objects (6.5.1.1, 6.4.3, 6.5.2): element i of an array with block size B has affinity to
 * thread (i / B) mod THREADS and phase i mod B; the results of the size operators; blocks of one thread are
 * contiguous. The same program is compiled for a number of threads and for any number. */

#include <stddef.h>
#include <upc.h>

#include "checks.uph"

#define ROWS 6

typedef struct {
  char name[3];
  double weight;
} particle;

shared int cyclic[10 * THREADS];
shared [4] int blocked[12 * THREADS];
shared [3] double uneven[7 * THREADS];
shared [] short whole[50];
shared [0] short whole_again[50];
shared [*] char even[5 * THREADS];
shared [2] int matrix[3 * THREADS][ROWS];
shared [ROWS] int rows[THREADS][ROWS];
shared [5] particle particles[5 * THREADS];
shared int scalar;
shared particle one_particle;
shared [300000] char large_block[300000 * THREADS];

typedef shared [2] int pair_shared;
pair_shared typed[8 * THREADS];
typedef int four_ints[4];
shared [4] four_ints grouped[2 * THREADS];
shared four_ints spread[3 * THREADS];

#define CHECK_LAYOUT(array, count, block)                                    \
  for (int i = 0; i < (int)(count); ++i) {                                   \
    SAME(upc_threadof(&(array)[i]), (i / (block)) % THREADS);                \
    SAME(upc_phaseof(&(array)[i]), i % (block));                             \
  }

static void elements_are_dealt_in_blocks(void) {
  CHECK_LAYOUT(cyclic, 10 * THREADS, 1);
  CHECK_LAYOUT(blocked, 12 * THREADS, 4);
  CHECK_LAYOUT(uneven, 7 * THREADS, 3);
  CHECK_LAYOUT(even, 5 * THREADS, 5);
  CHECK_LAYOUT(particles, 5 * THREADS, 5);
  CHECK_LAYOUT(typed, 8 * THREADS, 2);
  for (int i = 0; i < 50; ++i) {
    SAME(upc_threadof(&whole[i]), 0);
    SAME(upc_phaseof(&whole[i]), 0);
    SAME(upc_threadof(&whole_again[i]), 0);
  }
  SAME(upc_threadof(&scalar), 0);
  SAME(upc_phaseof(&scalar), 0);
  SAME(upc_threadof(&large_block[300000 * THREADS - 1]), THREADS - 1);
  SAME(upc_phaseof(&large_block[299999]), 299999);
}

/* The layout is that of the elements, whatever the number of dimensions (6.5.2.1). */
static void dimensions_are_one_row_of_elements(void) {
  for (int i = 0; i < 3 * THREADS; ++i)
    for (int j = 0; j < ROWS; ++j) {
      SAME(upc_threadof(&matrix[i][j]), ((i * ROWS + j) / 2) % THREADS);
      SAME(upc_phaseof(&matrix[i][j]), (i * ROWS + j) % 2);
    }
  for (int i = 0; i < THREADS; ++i) {
    SAME(upc_threadof(&rows[i][ROWS - 1]), i);
    SAME(upc_phaseof(&rows[i][ROWS - 1]), ROWS - 1);
  }
  for (int i = 0; i < 2 * THREADS; ++i) SAME(upc_threadof(&grouped[i][3]), i % THREADS);
  for (int i = 0; i < 3 * THREADS; ++i)
    for (int j = 0; j < 4; ++j) SAME(upc_threadof(&spread[i][j]), (4 * i + j) % THREADS);
}

static void operators_tell_sizes(void) {
  SAME(sizeof(cyclic), 10 * THREADS * sizeof(int));
  SAME(sizeof cyclic / sizeof cyclic[0], 10 * THREADS);
  SAME(sizeof(matrix), 3 * THREADS * ROWS * sizeof(int));
  SAME(sizeof(matrix[0]), ROWS * sizeof(int));
  SAME(sizeof(scalar), sizeof(int));
  SAME(upc_blocksizeof(cyclic), 1);
  SAME(upc_blocksizeof(blocked), 4);
  SAME(upc_blocksizeof(whole), 0);
  SAME(upc_blocksizeof(even), 5);
  SAME(upc_blocksizeof(matrix), 2);
  SAME(upc_blocksizeof(shared [7] int), 7);
  SAME(upc_elemsizeof(cyclic), sizeof(int));
  SAME(upc_elemsizeof(matrix), sizeof(int));
  SAME(upc_elemsizeof(particles), sizeof(particle));
  SAME(upc_elemsizeof(shared [9] double), sizeof(double));
  /* At least what this thread owns (6.4.3.2): of 12 * THREADS elements in blocks of 4 each has three blocks. */
  SAME(sizeof(upc_localsizeof(blocked)), sizeof(size_t));
  CHECK(upc_localsizeof(blocked) >= 12 * sizeof(int));
  CHECK(upc_localsizeof(cyclic) >= 10 * sizeof(int));
  CHECK(upc_localsizeof(uneven) >= 6 * sizeof(double));
}

/* The operators are integer constants (6.4.3.2 to 6.4.3.4), so they may stand where C needs one; also as a factor
 * of the size of a shared array. The operand is a unary expression: what follows it is not a part of it. */
shared int of_block[upc_blocksizeof(blocked) * THREADS];
shared [2] int of_sum[THREADS][upc_blocksizeof blocked + upc_elemsizeof(uneven)];
char of_layout[upc_blocksizeof(shared [6] int) == 6 ? 1 : -1];
enum { of_three = upc_blocksizeof(uneven) * 10 + upc_elemsizeof(shared [2] char) };
static int initialised = upc_localsizeof(blocked);
_Static_assert(upc_elemsizeof(particles[0]) == sizeof(particle), "an element is a particle");
typedef struct {
  unsigned width : upc_blocksizeof(blocked);
} narrow;

static int which(int number) {
  switch (number) {
    case upc_blocksizeof(blocked): return 1;
    case upc_blocksizeof(pair_shared): return 2;
    case upc_elemsizeof uneven: return 3;
  }
  return 0;
}

static void operators_are_constants(void) {
  shared [4] int *walker = blocked;
  narrow four_bits = {15};
  char local[upc_blocksizeof(*walker)];
  SAME(sizeof(of_block), 4 * THREADS * sizeof(int));
  SAME(sizeof(of_sum), 12 * THREADS * sizeof(int));
  SAME(sizeof(of_layout) + sizeof(local), 5);
  SAME(of_three, 31);
  SAME(initialised, 12 * sizeof(int));
  SAME(which(4) + 10 * which(2) + 100 * which(8), 321);
  SAME(four_bits.width, 15);
  SAME(upc_blocksizeof *walker + upc_blocksizeof(walker[1]) * 2 + upc_blocksizeof(*(shared [5] char *)walker), 17);
  if (MYTHREAD == 0) of_block[4 * THREADS - 1] = of_sum[THREADS - 1][11] = 7;
  upc_barrier;
  SAME(of_block[4 * THREADS - 1] + of_sum[THREADS - 1][11], 14);
}

/* A thread can reach all of its elements by one private pointer (6.4.1.3, 6.5.1.1). */
static void own_blocks_lie_together(void) {
  int* own = (int*)&blocked[4 * MYTHREAD];
  for (int block = 0; block < 3; ++block)
    for (int i = 0; i < 4; ++i) {
      own[4 * block + i] = 100 * block + i;
      CHECK((int*)&blocked[4 * (block * THREADS + MYTHREAD) + i] == own + 4 * block + i);
    }
  upc_barrier;
  for (int i = 0; i < 12 * THREADS; ++i) SAME(blocked[i], 100 * (i / (4 * THREADS)) + i % 4);
  char* private_even = (char*)&even[5 * MYTHREAD];
  for (int i = 0; i < 5; ++i) private_even[i] = (char)(MYTHREAD + i);
  upc_barrier;
  for (int i = 0; i < 5 * THREADS; ++i) SAME(even[i], i / 5 + i % 5);
}

/* upc_affinitysize gives the part of an object's bytes that a thread owns (7.2.3.5). */
static void affinity_sizes_add_up(void) {
  for (int round = 0; round < 200; ++round) {
    const size_t block = 1 + random_below(40), total = random_below(2000);
    size_t sum = 0;
    for (int thread = 0; thread < THREADS; ++thread) {
      size_t owned = 0;
      for (size_t byte = 0; byte < total; ++byte) owned += (byte / block) % THREADS == (size_t)thread;
      SAME(upc_affinitysize(total, block, thread), owned);
      sum += owned;
    }
    SAME(sum, total);
  }
  for (int thread = 0; thread < THREADS; ++thread) SAME(upc_affinitysize(77, 0, thread), thread == 0 ? 77 : 0);
}

/* A parameter that is declared as an array is a pointer, to elements in blocks as the array's (6.7.5.3,
   C99 6.7.5.3 p7). */
typedef struct {
  int value;
} boxed;
static shared [3] int in_threes[9 * THREADS];
static shared [4] int rows_of_4[THREADS][4];
static shared boxed boxes[THREADS];
static strict shared int strict_ones[THREADS];

static int element(shared [3] int array[], int i) { return array[i]; }
static void set_own(shared int array[THREADS], int value) { array[MYTHREAD] = value; }
static int of_row(int column, shared [4] int rows[][4], int row) { return rows[row][column]; }
static int of_box(const int* scale, shared boxed array[THREADS]) { return *scale * array[MYTHREAD].value; }
static int strict_first(strict shared int array[1]) { return array[0]; }
static int second_of(shared int* pointers[2]) { return *pointers[1]; }
static shared int ones[THREADS];

static void parameters_that_are_arrays_are_pointers(void) {
  const int two = 2;
  shared int* pointers[2] = {NULL, &ones[MYTHREAD]};
  for (int i = 0; i < 3; ++i) in_threes[3 * MYTHREAD + i] = 10 * MYTHREAD + i;
  rows_of_4[MYTHREAD][2] = MYTHREAD + 5;
  boxes[MYTHREAD].value = MYTHREAD + 1;
  set_own(ones, MYTHREAD + 7);
  if (MYTHREAD == 0) strict_ones[0] = 11;
  upc_barrier;
  for (int i = 0; i < 3 * THREADS; ++i) SAME(element(in_threes, i), 10 * (i / 3) + i % 3);
  for (int thread = 0; thread < THREADS; ++thread) SAME(of_row(2, rows_of_4, thread), thread + 5);
  for (int thread = 0; thread < THREADS; ++thread) SAME(ones[thread], thread + 7);
  SAME(of_box(&two, boxes), 2 * (MYTHREAD + 1));
  SAME(strict_first(strict_ones), 11);
  SAME(second_of(pointers), MYTHREAD + 7);
  SAME(sizeof(shared int[5]), 5 * sizeof(int));
}

static void zeros_are_there_at_the_start(void) {
  for (int i = 0; i < 10 * THREADS; ++i) SAME(cyclic[i], 0);
  for (int i = 0; i < 50; ++i) SAME(whole[i], 0);
  SAME(one_particle.name[2], 0);
}

int main(void) {
  zeros_are_there_at_the_start();
  upc_barrier;
  elements_are_dealt_in_blocks();
  dimensions_are_one_row_of_elements();
  operators_tell_sizes();
  operators_are_constants();
  own_blocks_lie_together();
  affinity_sizes_add_up();
  parameters_that_are_arrays_are_pointers();
  return check_result();
}
