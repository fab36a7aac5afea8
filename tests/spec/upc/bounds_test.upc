/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops over shared elements whose bound, or a part of the subscript, is a number in memory. The translator may read
 * such a number once, before the loop, if the loop does not change it. The loops here change it in each way that C has,
 * and must still end correctly; and a loop without iterations must not read it. */

#include <upc_relaxed.h>

#include "checks.uph"

#define BLOCK 16
#define NOT_INLINE __attribute__((noinline))

typedef long __attribute__((may_alias)) any_long;
struct part { int n; };
struct outer { struct part in; };
union mixed { struct part part; double d[4]; struct { int first; double d; } inner; };
struct __attribute__((may_alias)) any_part { double d; };

shared [BLOCK] double wide[BLOCK * THREADS];
shared [BLOCK] int numbers[BLOCK * THREADS];
shared [2] int narrow[BLOCK * THREADS];
shared int cyclic[BLOCK * THREADS];
static shared [] union mixed first_mixed;
static shared [] union { any_long number; struct part part; struct any_part any; } first_any;
static int global;
static struct part* bound_of_clean;

static void clean(int* unused) {
  (void)unused;
  bound_of_clean->n = 3;
}

/* ---- numbers reached by a private pointer ------------------------------------------------------ */

NOT_INLINE static int by_elements_of_an_array(void) {
  struct part parts[2] = {{10}, {1}}, *p = parts;
  int i;
  for (i = 0; i < p->n; ++i) {
    wide[i] = i;
    parts[0].n = 3;
  }
  return i;
}

NOT_INLINE static int by_an_array_in_a_structure(void) {
  struct { struct part parts[2]; } both = {{{10}, {1}}};
  struct part* p = both.parts;
  int i;
  for (i = 0; i < p->n; ++i) {
    wide[i] = i;
    both.parts[0].n = 3;
  }
  return i;
}

NOT_INLINE static int by_an_array_beside_it(void) {
  struct { union { int n; int a[2]; }; } s;
  int i, *q = s.a;
  s.n = 10;
  for (i = 0; i < s.n; ++i) {
    wide[i] = i;
    q[0] = 3;
  }
  return i;
}

NOT_INLINE static int by_a_dereferenced_array(void) {
  struct part parts[1] = {{10}};
  int i;
  for (i = 0; i < parts[0].n; ++i) {
    wide[i] = i;
    (*parts).n = 3;
  }
  return i;
}

NOT_INLINE static int by_a_member_of_its_structure(void) {
  struct outer whole;
  struct part* p = &whole.in;
  int i;
  whole.in.n = 10;
  for (i = 0; i < p->n; ++i) {
    wide[i] = i;
    whole.in.n = 4;
  }
  return i;
}

NOT_INLINE static int by_a_private_union(void) {
  union mixed u;
  struct part* p = &u.part;
  int i;
  u.part.n = 10;
  for (i = 0; i < p->n; ++i) {
    wide[i] = i;
    u.d[0] = 1.0;
  }
  return i;
}

NOT_INLINE static int by_a_shared_union(void) {
  struct part* p = &((union mixed*)&first_mixed)->part;
  int i;
  p->n = 10;
  for (i = 0; i < p->n; ++i) {
    wide[i] = i;
    first_mixed.d[0] = 1.0;
  }
  return i;
}

NOT_INLINE static int by_an_atomic_store(struct part* p) {
  int i;
  for (i = 0; i < p->n; ++i) {
    wide[i] = i;
    __atomic_store_n(&p->n, 3, __ATOMIC_RELAXED);
  }
  return i;
}

NOT_INLINE static int of_a_global_by_an_atomic_store(void) {
  int i;
  global = 10;
  for (i = 0; i < global; ++i) {
    wide[i] = i;
    __atomic_store_n(&global, 3, __ATOMIC_RELAXED);
  }
  return i;
}

NOT_INLINE static int by_what_cleans_up(struct part* p) {
  int i;
  bound_of_clean = p;
  for (i = 0; i < p->n; ++i) {
    int unused __attribute__((cleanup(clean))) = 0;
    wide[i] = i + unused;
  }
  return i;
}

NOT_INLINE static int by_a_number_of_any_type(void) {
  shared [] any_long* any = (shared [] any_long*)&first_any;
  struct part* p = (struct part*)&first_any;
  int i;
  p->n = 10;
  for (i = 0; i < p->n; ++i) {
    wide[i] = i;
    any[0] = 3;
  }
  return i;
}

NOT_INLINE static int by_a_structure_of_any_type(void) {
  shared [] struct any_part* any = (shared [] struct any_part*)&first_any;
  struct part* p = (struct part*)&first_any;
  int i;
  p->n = 10;
  for (i = 0; i < p->n; ++i) {
    wide[i] = i;
    any->d = 1.0;
  }
  return i;
}

static void bounds_that_change(void) {
  struct part part = {10};
  SAME(by_elements_of_an_array(), 3);
  SAME(by_an_array_in_a_structure(), 3);
  SAME(by_an_array_beside_it(), 3);
  SAME(by_a_dereferenced_array(), 3);
  SAME(by_a_member_of_its_structure(), 4);
  SAME(by_a_private_union(), 1);
  SAME(by_an_atomic_store(&part), 3);
  SAME(of_a_global_by_an_atomic_store(), 3);
  part.n = 10;
  SAME(by_what_cleans_up(&part), 3);
  if (MYTHREAD == 0) {
    SAME(by_a_shared_union(), 1);
    SAME(by_a_number_of_any_type(), 3);
    SAME(by_a_structure_of_any_type(), 1);
  }
}

/* ---- loops without iterations ------------------------------------------------------------------ */

#define SUM_OF(ARRAY)                                                          \
  NOT_INLINE static long sum_of_##ARRAY(const struct part* part, int n) {      \
    long sum = 0;                                                              \
    for (int i = 0; i < n; ++i) sum += ARRAY[i + part->n];                     \
    return sum;                                                                \
  }
SUM_OF(numbers)
SUM_OF(narrow)
SUM_OF(cyclic)

static void loops_without_iterations(void) {
  const struct part part = {2};
  if (MYTHREAD == 0)
    for (int i = 0; i < BLOCK * THREADS; ++i) numbers[i] = narrow[i] = cyclic[i] = i;
  upc_barrier;
  SAME(sum_of_numbers(&part, 5), 20);
  SAME(sum_of_narrow(&part, 5), 20);
  SAME(sum_of_cyclic(&part, 5), 20);
  SAME(sum_of_numbers(NULL, 0), 0);
  SAME(sum_of_narrow(NULL, 0), 0);
  SAME(sum_of_cyclic(NULL, 0), 0);
}

int main(void) {
  bounds_that_change();
  upc_barrier;
  loops_without_iterations();
  return check_result();
}
