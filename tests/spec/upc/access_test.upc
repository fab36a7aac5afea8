/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Accesses to shared objects in all forms that C has for lvalues (6.4, 6.5): every type, compound assignment,
 * increments, structs, unions, bit-fields, arrays inside of structs, conversions, and expressions around them. Each
 * thread writes into the objects of its right neighbour. */

#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <upc_relaxed.h>

#include "checks.uph"

typedef enum { red, green = 5, blue } colour;

typedef struct {
  unsigned low : 3, middle : 7;
  int negative : 5;
  unsigned long long wide : 40;
} fields;

typedef struct {
  int id;
  union {
    int whole;
    unsigned char bytes[4];
    struct {
      short a, b;
    } halves;
  } choice;
  double grid[2][3];
  fields packed;
  shared int* link;
  int* own;
} part;

#define FOR_ALL_TYPES(DO)                                                                                      \
  DO(c, char) DO(sc, signed char) DO(uc, unsigned char) DO(s, short) DO(us, unsigned short) DO(i, int)          \
  DO(u, unsigned) DO(l, long) DO(ul, unsigned long) DO(ll, long long) DO(ull, unsigned long long) DO(f, float) \
  DO(d, double) DO(i8, int8_t) DO(u16, uint16_t) DO(i64, int64_t) DO(z, size_t)

#define DECLARE(name, type) shared type object_##name[THREADS];
FOR_ALL_TYPES(DECLARE)

shared long double object_ld[THREADS];
shared bool object_bool[THREADS];
shared colour object_colour[THREADS];
shared double complex object_complex[THREADS];
shared volatile int object_volatile[THREADS];
shared [5] part parts[5 * THREADS];
shared int numbers[8 * THREADS];
shared [8] int blocks[8 * THREADS];
shared int scalar_counter;

static int right, left;

/* One type: plain and compound assignment and increments have the values that a private object has. */
#define EXERCISE(name, type)                             \
  {                                                      \
    type mirror = 0;                                     \
    shared type* p = &object_##name[right];              \
    CHECK((*p = (type)(7 + right)) == (type)(7 + right)); \
    mirror = (type)(7 + right);                          \
    CHECK((*p += 5) == (mirror += 5));                   \
    CHECK((object_##name[right] -= 2) == (mirror -= 2)); \
    CHECK((*p *= 3) == (mirror *= 3));                   \
    CHECK((*p /= 2) == (mirror /= 2));                   \
    CHECK(p[0]++ == mirror++);                           \
    CHECK(++p[0] == ++mirror);                           \
    CHECK((*p)-- == mirror--);                           \
    CHECK(--*p == --mirror);                             \
    CHECK(*p == mirror);                                 \
    CHECK(sizeof(*p) == sizeof(mirror));                 \
    CHECK(-*p == -mirror && !*p == !mirror);             \
    *p = (type)100.75;                                   \
    mirror = (type)100.75;                               \
    CHECK(*p == mirror);                                 \
  }

static void every_type_is_read_and_written(void) {
  FOR_ALL_TYPES(EXERCISE)
  EXERCISE(ld, long double)
  object_bool[right] = 17;
  SAME(object_bool[right], 1);
  object_colour[right] = blue;
  SAME(object_colour[right], 6);
  object_complex[right] = 1.0 + 2.0 * I;
  object_complex[right] *= 2.0;
  __imag__ object_complex[right] += __real__ object_complex[right] - 1;
  SAME(__imag__ object_complex[right], 5);
  __imag__ *(&object_complex[right]) = 3;
  SAME(++__imag__ object_complex[right], 4);
  CHECK(creal(object_complex[right]) == 2.0 && cimag(object_complex[right]) == 4.0);
  object_volatile[right] = 9;
  SAME(object_volatile[right], 9);
}

static void integers_have_their_operators(void) {
  shared int* p = &object_i[right];
  *p = 0xf5;
  SAME(*p &= 0x3c, 0x34);
  SAME(*p |= 0x103, 0x137);
  SAME(*p ^= 0xff, 0x1c8);
  SAME(*p <<= 3, 0xe40);
  SAME(*p >>= 2, 0x390);
  SAME(*p %= 100, 12);
  SAME(~*p, ~12);
  object_uc[right] = 250;
  SAME(object_uc[right] += 10, 4); /* wraps as the type does */
  object_c[right] = 'x';
  SAME(object_c[right], 'x');
  object_i[right] = 3.99;
  SAME(object_i[right], 3);
  object_d[right] = object_i[right] / 2;
  CHECK(object_d[right] == 1.0);
  object_i[right] = object_uc[right] = 300;
  SAME(object_i[right], 44);
}

static int calls;
static int counted(int value) {
  ++calls;
  return value;
}

/* Subscripts and values are evaluated once, and conditions decide which operand is read. */
static void operands_are_evaluated_once(void) {
  calls = 0;
  blocks[counted(8 * right)] = counted(10);
  SAME(calls, 2);
  blocks[counted(8 * right)] += counted(5);
  SAME(calls, 4);
  blocks[counted(8 * right)]++;
  SAME(calls, 5);
  SAME(blocks[8 * right], 16);
  int at = 8 * right;
  blocks[at++] = 1;
  blocks[at++] = 2;
  SAME(at, 8 * right + 2);
  SAME(blocks[8 * right] + blocks[8 * right + 1], 3);
  SAME(calls > 0 ? blocks[8 * right + 1] : counted(99), 2);
  SAME((counted(1), blocks[8 * right]), 1);
  CHECK(blocks[8 * right] && !counted(0));
  CHECK(!(blocks[8 * right] == 0 && counted(1)));
  SAME(calls, 7);
  for (at = 0; blocks[8 * right + 1] > 0; ++at) blocks[8 * right + 1]--;
  SAME(at, 2);
  switch (blocks[8 * right]) {
    case 1: blocks[8 * right + 7] = 70; break;
    default: CHECK(0);
  }
  while (blocks[8 * right + 7]) blocks[8 * right + 7] -= 10;
  SAME(blocks[8 * right + 7], 0);
  do blocks[8 * right + 7] += 3;
  while (blocks[8 * right + 7] < 10);
  SAME(blocks[8 * right + 7], 12);
  blocks[8 * right + blocks[8 * right]] = 8; /* a subscript that is read from shared memory */
  SAME(blocks[8 * right + 1], 8);
  SAME((&blocks[8 * right])[blocks[8 * right]], 8);
  SAME(1 [&blocks[8 * right]], 8);
}

static int sum_bytes(part given) {
  return given.choice.bytes[0] + given.choice.bytes[1] + given.choice.bytes[2] + given.choice.bytes[3];
}

static part made(int id) {
  part result = {.id = id, .choice = {.whole = 0x01020304}, .grid = {{1, 2, 3}, {4, 5, 6}}};
  return result;
}

static void structs_are_whole_and_in_parts(void) {
  shared [5] part* theirs = &parts[5 * right + 2];
  *theirs = made(7 + right);
  SAME(theirs->id, 7 + right);
  SAME(sum_bytes(*theirs), 10);
  SAME(theirs->choice.bytes[0] + theirs->choice.bytes[3], 5);
  theirs->choice.halves.a = 0x0102;
  SAME(theirs->choice.bytes[0], 2);
  theirs->choice.bytes[2] ^= 0xff;
  part copy = *theirs;
  SAME(copy.choice.bytes[2], 0x02 ^ 0xff);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      CHECK(theirs->grid[i][j] == 3 * i + j + 1);
      theirs->grid[i][j] *= 2;
    }
  shared [] double* row = theirs->grid[1];
  CHECK(row[2] == 12 && *row == 8);
  parts[5 * right + 3] = *theirs;
  CHECK(parts[5 * right + 3].grid[1][0] == 8);
  copy = parts[5 * right + 3];
  CHECK(copy.grid[0][2] == 6 && copy.id == 7 + right);
  parts[5 * right + 4] = (part){.id = -1};
  CHECK(parts[5 * right + 4].grid[1][2] == 0);
  SAME((*theirs).id + (parts + 5 * right + 4)->id, 6 + right);
  theirs->link = &numbers[right];
  numbers[right] = 55;
  SAME(*theirs->link, 55);
  ++*theirs->link;
  SAME(theirs->link[0], 56);
  theirs->link += THREADS;
  CHECK(theirs->link == &numbers[right + THREADS]);
  theirs->link--;
  CHECK(theirs->link == &numbers[right + THREADS - 1]);
}

static void bit_fields_leave_their_neighbours(void) {
  shared [] fields* theirs = &parts[5 * right].packed;
  theirs->low = 5;
  theirs->middle = 100;
  theirs->negative = -3;
  theirs->wide = 0x1234567890ULL;
  SAME(theirs->low, 5);
  SAME(theirs->middle, 100);
  SAME(theirs->negative, -3);
  SAME(theirs->wide, 0x1234567890LL);
  SAME(theirs->low = 13, 5); /* the value is that of the field */
  SAME(++theirs->middle, 101);
  SAME(theirs->middle--, 101);
  theirs->negative += 5;
  SAME(theirs->negative, 2);
  SAME(parts[5 * right].packed.middle, 100);
  SAME(theirs->wide >> 32, 0x12);
}

/* Copies between threads, through private memory and pointers to it. */
static void values_travel(void) {
  upc_barrier;
  for (int i = 0; i < 8; ++i) numbers[right + i * THREADS] = 100 * right + i;
  upc_barrier;
  int mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = numbers[left + i * THREADS];
  for (int i = 0; i < 8; ++i) SAME(mine[i], 100 * left + i);
  int* own = (int*)&numbers[MYTHREAD];
  for (int i = 0; i < 8; ++i) SAME(own[i], 100 * MYTHREAD + i);
  const int next = *own + numbers[left + THREADS] - mine[0];
  SAME(next, 100 * MYTHREAD + 1);
  upc_barrier;
  numbers[right] = next;
  upc_barrier;
  SAME(own[0], 100 * left + 1);
}

/* A relaxed loop must see the store of another thread. */
static void stores_are_seen_by_loops(void) {
  upc_barrier;
  scalar_counter = 0;
  upc_barrier;
  for (int turn = 0; turn < 20 * THREADS; ++turn)
    if (turn % THREADS == MYTHREAD) {
      while (scalar_counter != turn) continue;
      scalar_counter = turn + 1;
    }
  upc_barrier;
  SAME(scalar_counter, 20 * THREADS);
}

/* Variables in registers have no address that the translation could take. */
static void registers_have_no_address(void) {
  register shared int* element = numbers + MYTHREAD;
  register part whole;
  struct place {
    shared int* first;
    int length;
  };
  register struct place in = {numbers + MYTHREAD, 1};
  SAME(upc_threadof(in.first++), (unsigned)MYTHREAD);
  SAME(upc_threadof(--in.first), (unsigned)MYTHREAD);
  in.first += THREADS + in.length;
  SAME(upc_threadof(in.first), (unsigned)right);
  upc_barrier;
  numbers[right] = 70 + right;
  parts[5 * right].id = 80 + right;
  upc_barrier;
  SAME(*element, 70 + MYTHREAD);
  SAME(upc_threadof(element++), (unsigned)MYTHREAD);
  SAME(upc_threadof(element--), (unsigned)right);
  whole = parts[5 * MYTHREAD];
  SAME(whole.id, 80 + MYTHREAD);
  whole.id = 90;
  parts[5 * MYTHREAD] = whole;
  SAME(parts[5 * MYTHREAD].id, 90);
  upc_barrier;
}

static void declared_in_blocks(void) {
  extern shared int scalar_counter;
  static shared double in_function[THREADS];
  static shared [] double together[4];
  in_function[right] = right + 0.25;
  if (MYTHREAD == 0) together[3] = 9;
  upc_barrier;
  CHECK(in_function[MYTHREAD] == MYTHREAD + 0.25);
  CHECK(together[3] == 9);
  {
    typedef shared [2] short local_type;
    local_type* p = NULL;
    CHECK(p == NULL);
    SAME(upc_blocksizeof(local_type), 2);
  }
}

int main(void) {
  right = (MYTHREAD + 1) % THREADS;
  left = (MYTHREAD + THREADS - 1) % THREADS;
  every_type_is_read_and_written();
  integers_have_their_operators();
  operands_are_evaluated_once();
  structs_are_whole_and_in_parts();
  bit_fields_leave_their_neighbours();
  values_travel();
  stores_are_seen_by_loops();
  registers_have_no_address();
  declared_in_blocks();
  return check_result();
}
