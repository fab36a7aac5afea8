/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops over consecutive shared elements, which the translator takes apart into runs: by subscript and by pointer,
 * read, written and updated, in one array and in several, from every first to every last element. With messages only
 * and with neighbourhoods of one, the same loops go through copies, which must not overwrite other threads' writes
 * beside a loop's elements. Loops over elements a[i ^ x] are run for many elements at a time; the order of their
 * accesses must not show. */

#include <stdint.h>
#include <upc_relaxed.h>

#include "checks.uph"

#define BLOCK 16
#define ROWS 6
#define STRIP 32

shared [BLOCK] int numbers[3 * BLOCK * THREADS];
shared [BLOCK] int results[3 * BLOCK * THREADS];
shared [] double line[40];
shared [ROWS * 10] int table[ROWS * THREADS][10];
shared [BLOCK] struct { int first; int second; } pairs[BLOCK * THREADS];
shared int ones[3 * BLOCK * THREADS];
shared [3] int threes[3 * BLOCK * THREADS];
shared [STRIP] long flipped[4 * STRIP * THREADS];
shared [STRIP] long flips[4 * STRIP * THREADS];
strict shared [BLOCK] int strict_numbers[BLOCK * THREADS];
shared [BLOCK] unsigned char bytes[2 * BLOCK * THREADS];

enum { count = 3 * BLOCK };

static int length; /* of the arrays; not a constant, but a private static object */

static void fill(void) {
  int i;
  upc_barrier;
  length = count * THREADS;
  upc_forall (i = 0; i < length; ++i; &numbers[i]) {
    numbers[i] = 3 * i;
    results[i] = -1;
  }
  if (MYTHREAD == 0)
    for (i = 0; i < 40; ++i) line[i] = i;
  upc_barrier;
}

shared int cyclic[4 * BLOCK * THREADS];
shared unsigned char letters[4 * BLOCK * THREADS];
shared struct { int key; long square; } records[4 * BLOCK * THREADS];

/* Loops over cyclic elements, which may run in any order: from each first to each last, with numbers that overflow. */
static void cyclic_elements_in_any_order(void) {
  const int all = 4 * BLOCK * THREADS;
  int i;
  if (MYTHREAD == 0) {
    for (i = 0; i < all; ++i) cyclic[i] = i % 2 ? 2000000000 : -2000000000 + i;
    for (i = 0; i < all; ++i) letters[i] = i * 3;
    for (i = 0; i < all; ++i) records[i].key = 5 * i;
  }
  upc_barrier;
  for (int first = 0; first < all; first += 7)
    for (int last = first; last <= all; last += 11) {
      int sum = 0, expected = 0;
      unsigned short bits = 0, differences = 9;
      long keys = 0;
      for (i = first; i < last; ++i) {
        sum += cyclic[i];
        bits ^= letters[i] << (i % 4);
        differences -= letters[i];
        keys += records[i].key;
      }
      SAME(i, last);
      unsigned short expected_bits = 0, expected_differences = 9;
      long expected_keys = 0;
      for (i = first; i < last; ++i) {
        expected = (int)((unsigned)expected + (i % 2 ? 2000000000u : (unsigned)(-2000000000 + i)));
        expected_bits ^= (i * 3 & 255) << (i % 4);
        expected_differences -= i * 3 & 255;
        expected_keys += 5 * i;
      }
      SAME(sum, expected);
      SAME(bits, expected_bits);
      SAME(differences, expected_differences);
      SAME(keys, expected_keys);
      shared int* p = &cyclic[first];
      shared unsigned char* letter = &letters[first];
      sum = 0;
      differences = 9;
      for (i = first; i < last; ++i) {
        sum += *p++;
        differences -= *letter++;
      }
      SAME(sum, expected);
      SAME(differences, expected_differences);
      CHECK(p == &cyclic[last] && letter == &letters[last] && upc_threadof(p) == last % THREADS);
    }
  upc_barrier;
  if (MYTHREAD == THREADS - 1) {
    const int shift = 2;
    for (i = 1; i < all - 3; ++i) cyclic[i] = letters[i + 3] + 1000 * i;
    shared int* p = &cyclic[shift];
    for (i = 0; i < all - shift; ++i) *p++ += i;
  }
  upc_barrier;
  for (i = 2; i < all; ++i) {
    const int base = i < all - 3 ? ((i + 3) * 3 & 255) + 1000 * i : i % 2 ? 2000000000 : -2000000000 + i;
    SAME(cyclic[i], base + i - 2);
  }
  upc_barrier;
}

/* Sums of first, first + 1 ... last - 1, and the counter afterwards. */
static void sums_from_each_to_each(void) {
  for (int first = 0; first < length; first += 5)
    for (int last = first; last <= length; last += 7) {
      long sum = 0, by_pointer = 0, shifted = 0;
      int i;
      for (i = first; i < last; ++i) sum += numbers[i];
      SAME(i, last);
      shared [BLOCK] int* p = &numbers[first];
      for (unsigned k = first; k < (unsigned)last; k++) by_pointer += *p++;
      CHECK(p == &numbers[first] + (last - first));
      for (size_t k = 1; k <= (size_t)(last - first); ++k) shifted += numbers[first + k - 1];
      const long expected = 3L * (last - first) * (first + last - 1) / 2;
      SAME(sum, expected);
      SAME(by_pointer, expected);
      SAME(shifted, expected);
    }
}

/* Each thread writes and updates a part of the array, across blocks of others. */
static void writes_and_updates(void) {
  const int first = MYTHREAD * count + 5, last = first + count - 10;
  for (int i = first; i < last; ++i) results[i] = numbers[i] + 1;
  for (int i = first; i < last; ++i) results[i] *= 2;
  shared [BLOCK] int* to = &results[first];
  shared [BLOCK] int* from = &numbers[first];
  for (int i = first; i < last; ++i) *to++ += *from++;
  upc_barrier;
  for (int i = 0; i < length; ++i) {
    const int place = i % count;
    SAME(results[i], place >= 5 && place < count - 5 ? 9 * i + 2 : -1);
  }
  upc_barrier;
}

/* A loop may read elements that it has written, also by another name. */
static void recurrences(void) {
  if (MYTHREAD == THREADS - 1) {
    for (int i = 1; i < length; ++i) results[i] = results[i - 1] + 1;
    shared [BLOCK] int *here = &results[1], *there = &results[0];
    SAME(results[length - 1], length - 2);
    for (int i = 0; i < length - 1; ++i) here[i] = there[i] + 2;
    SAME(results[length - 1], 2 * length - 3);
    for (int i = 0; i < length - 1; ++i) *here++ = there[i] + 3;
    SAME(results[length - 1], 3 * length - 4);
    for (int i = 0; i < length - 1; ++i) {
      results[i] = 1;
      results[i + 1] += results[i];
    }
    SAME(results[length - 1], 3 * length - 3);
  }
  upc_barrier;
}

/* All threads write at once, each its own elements of every block, and other members or bytes. */
static void neighbours_are_not_overwritten(void) {
  upc_barrier;
  for (int round = 1; round < 20; ++round) {
    for (int i = 0; i < length; ++i)
      if (i % THREADS == MYTHREAD) results[i] = round * i;
    for (int i = 0; i < length; ++i) {
      if (i % THREADS != MYTHREAD) continue;
      results[i] += 1;
    }
    for (int i = 0; i < BLOCK * THREADS; ++i) {
      if (MYTHREAD == 0) pairs[i].first = round + i;
      if (MYTHREAD == THREADS - 1) pairs[i].second = round - i;
    }
    if (MYTHREAD == 0)
      for (int i = 0; i < BLOCK * THREADS; ++i) pairs[i].first += 1;
    else if (MYTHREAD == THREADS - 1)
      for (int i = 0; i < BLOCK * THREADS; ++i) pairs[i].second += 1;
    upc_barrier;
    for (int i = 0; i < length; ++i) SAME(results[i], round * i + 1);
    for (int i = 0; i < BLOCK * THREADS; ++i) {
      SAME(pairs[i].first, round + i + (THREADS > 0));
      SAME(pairs[i].second, round - i + (THREADS > 1));
    }
    upc_barrier;
  }
}

static void rows_and_edges(void) {
  upc_barrier;
  for (int row = MYTHREAD; row < ROWS * THREADS; row += THREADS)
    for (int i = 0; i < 10; ++i) table[row][i] = 100 * row + i;
  upc_barrier;
  for (int row = 1; row < ROWS * THREADS - 1; ++row) {
    int sum = 0;
    for (int i = 1; i < 9; ++i)
      sum += table[row - 1][i] + table[row + 1][i] + table[row][i - 1] + table[row][i + 1] - 4 * table[row][i];
    SAME(sum, 0);
    sum = 0;
    for (int i = 0; i < 10; ++i) sum += (i > 0 ? table[row][i - 1] : -1) + (i < 9 ? table[row][i + 1] : -1);
    SAME(sum, 18 * 100 * row + 36 + 45 - 2);
  }
  shared [] double* none = NULL;
  double sum = 0;
  for (int i = 0; i < 40; ++i) sum += line[i] + (none != NULL ? none[i] : 0);
  SAME(sum, 780);
  for (int i = -5; i < 0; ++i) sum -= (line + 5)[i];
  SAME(sum, 770);
}

/* Counting loops that are left early, or with elements of other kinds. */
static void loops_of_other_kinds(void) {
  int found = -1, i;
  for (i = 0; i < length; ++i)
    if (numbers[i] == 3 * (length - 2)) {
      found = i;
      break;
    }
  SAME(found, length - 2);
  SAME(i, length - 2);
  int odd = 0;
  for (i = 0; i < length; ++i) {
    if (numbers[i] % 2 == 0) continue;
    ++odd;
  }
  SAME(odd, length / 2);
  upc_barrier;
  if (MYTHREAD == 0)
    for (i = 0; i < BLOCK * THREADS; ++i) strict_numbers[i] = i;
  if (MYTHREAD == THREADS - 1)
    for (i = 0; i < 2 * BLOCK * THREADS; ++i) bytes[i] = i;
  upc_barrier;
  long sum = 0;
  for (i = 0; i < BLOCK * THREADS; ++i) sum += strict_numbers[i];
  SAME(sum, (long)BLOCK * THREADS * (BLOCK * THREADS - 1) / 2);
  for (i = 0; i < 2 * BLOCK * THREADS; ++i) SAME(bytes[i], i & 255);
}

/* A neighbour's elements inside of a upc_forall. */
static void owners_read_neighbours(void) {
  int i;
  fill();
  upc_forall (i = 1; i < length - 1; ++i; &results[i]) results[i] = numbers[i - 1] + numbers[i] + numbers[i + 1];
  upc_barrier;
  for (i = 1; i < length - 1; ++i) SAME(results[i], 9 * i);
}

/* Blocks that are too short for runs. */
static void short_blocks(void) {
  upc_barrier;
  for (int i = 0; i < length; ++i) {
    if (upc_threadof(&ones[i]) == MYTHREAD) ones[i] = i;
    if (upc_threadof(&threes[i]) == MYTHREAD) threes[i] = 2 * i;
  }
  upc_barrier;
  for (int first = 0; first < length; first += 7) {
    long sum = 0;
    int i;
    for (i = first; i < length - 2; ++i) {
      if (i % 5 == 3) continue;
      sum += ones[i] + threes[i + 2] - threes[i];
    }
    SAME(i, first < length - 2 ? length - 2 : first);
    for (i = first; i < length - 2; ++i) sum -= i % 5 == 3 ? 0 : i + 4;
    SAME(sum, 0);
  }
  upc_barrier;
  const int low = MYTHREAD * count, high = low + count;
  for (int i = low; i < high; ++i) threes[i] += ones[i]++;
  upc_barrier;
  for (int i = 0; i < length; ++i) SAME(threes[i] * 1000 + ones[i], 3000 * i + i + 1);
  upc_barrier;
}

/* ---- elements a[i ^ x] ------------------------------------------------------------------------- */

enum { flip_bits = 7 }; /* less than four consecutive blocks */

static void fill_flips(void) {
  long i;
  upc_barrier;
  upc_forall (i = 0; i < 4 * STRIP * THREADS; ++i; &flips[i]) {
    flipped[i] = i * i + 7;
    flips[i] = 3 * i;
  }
  upc_barrier;
}

static long flips_of(long i) {
  long sum = 0;
  for (int bit = 0; bit < flip_bits; ++bit) {
    const long other = i ^ 1L << bit;
    sum += other * other + 7;
  }
  return sum;
}

/* From each first to each last element, with statements before and after the inner loop. */
static void flips_from_each_to_each(void) {
  const long all = 4 * STRIP * THREADS;
  for (long first = 0; first < all; first += 29)
    for (long last = all; last > first; last -= 41) {
      fill_flips();
      long i;
      long private_count = 0;
      shared [STRIP] long* from = flipped;
      upc_forall (i = first; i < last; ++i; &flips[i]) {
        long sum = 0, count = i;
        for (int bit = 0; bit < flip_bits; ++bit) {
          sum += flipped[i ^ 1L << bit];
          if (bit < 3) ++count;
        }
        ++private_count;
        flips[i] = sum + 2 * flips[i] + count * from[i];
      }
      SAME(i, last);
      upc_barrier;
      long owned = 0;
      for (i = 0; i < all; ++i) {
        const int is_run = i >= first && i < last;
        owned += is_run && upc_threadof(&flips[i]) == MYTHREAD;
        SAME(flips[i], is_run ? flips_of(i) + 6 * i + (i + 3) * (i * i + 7) : 3 * i);
      }
      SAME(private_count, owned);
    }
}

/* The textbook form, with counters of several types, and through pointers. */
static void flips_in_one_statement(void) {
  const unsigned all = 4 * STRIP * THREADS;
  fill_flips();
  upc_forall (unsigned i = 0; i < all; ++i; &flips[i])
    for (unsigned bit = 0; bit < flip_bits; ++bit) flips[i] += flipped[i ^ 1u << bit];
  upc_barrier;
  for (unsigned i = 0; i < all; ++i) SAME(flips[i], flips_of(i) + 3 * i);
  fill_flips();
  shared [STRIP] long *to = flips, *from = flipped;
  upc_forall (size_t i = 0; i < all; ++i; &to[i])
    for (size_t x = 1; x < 128; ++x) to[i] += from[x ^ i] - from[i];
  upc_barrier;
  for (unsigned i = 0; i < all; ++i) {
    long sum = 3 * i;
    for (unsigned x = 1; x < 128; ++x) sum += (long)(i ^ x) * (i ^ x) - (long)i * i;
    SAME(flips[i], sum);
  }
  fill_flips();
  from = flipped + 5; /* in the middle of a block */
  upc_forall (int i = 0; i < (int)all - 128; ++i; &to[i])
    for (int x = 0; x < 9; x += 1) to[i] += from[i ^ x * 3] + from[i + x];
  upc_barrier;
  for (long i = 0; i < (long)all - 128; ++i) {
    long sum = 3 * i;
    for (int x = 0; x < 9; ++x) {
      const long first = (i ^ x * 3) + 5, second = i + x + 5;
      sum += first * first + second * second + 14;
    }
    SAME(flips[i], sum);
  }
}

/* A variable of the body has a separate value for each element, whatever its name means outside. */
static void variables_of_the_body(void) {
  int m = 1, steps = 2;
  const int all = STRIP * THREADS;
  fill_flips();
  upc_forall (int i = 0; i < all; ++i; &flips[i]) {
    const int m = i % 16, steps = i % 5;
    for (int k = 0; k < steps; ++k) flips[i] += flipped[i ^ m];
  }
  upc_barrier;
  for (int i = 0; i < all; ++i) {
    const long other = i ^ i % 16;
    SAME(flips[i], 3 * (long)i + i % 5 * (other * other + 7));
  }
  for (int i = 0; i < all - 4; ++i) {
    int m = i % 4;
    SAME(flipped[i + m], (long)(i + m) * (i + m) + 7);
  }
  CHECK(m == 1 && steps == 2);
  const int less = -1;
  for (unsigned i = less; i < 5U; ++i) CHECK(flipped[i] < 0); /* no iteration */
  upc_barrier;
}

/* The loop reads elements that it writes, so elements must be processed one by one. */
static void flips_in_place(void) {
  long expected[STRIP];
  fill_flips();
  shared [STRIP] long *to = flips, *from = flips;
  for (int i = 0; i < STRIP; ++i) expected[i] = 3 * (STRIP * (long)MYTHREAD + i);
  upc_forall (int i = 0; i < STRIP * THREADS; ++i; &to[i]) {
    long sum = 0;
    for (int bit = 0; bit < 5; ++bit) sum += from[i ^ 1 << bit];
    to[i] = sum - 4 * to[i];
  }
  for (int i = 0; i < STRIP; ++i) {
    long sum = 0;
    for (int bit = 0; bit < 5; ++bit) sum += expected[i ^ 1 << bit];
    expected[i] = sum - 4 * expected[i];
  }
  for (int i = 0; i < STRIP; ++i) SAME(flips[STRIP * MYTHREAD + i], expected[i]);
  upc_barrier;
}

int main(void) {
  fill();
  sums_from_each_to_each();
  writes_and_updates();
  recurrences();
  neighbours_are_not_overwritten();
  rows_and_edges();
  loops_of_other_kinds();
  owners_read_neighbours();
  short_blocks();
  cyclic_elements_in_any_order();
  flips_from_each_to_each();
  flips_in_one_statement();
  variables_of_the_body();
  flips_in_place();
  return check_result();
}
