/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The checks of upcc -check (an extension of the specification): a program without mistakes works as before, and each
 * mistake ends the job with a message that names file and line. The argument names the mistake; each stands on a line
 * of the file "mistakes.upc" (#line), whose number the tests expect. */

#include <upc.h>

#include <string.h>

#include "checks.uph"

typedef struct {
  int number;
  unsigned narrow : 5;
  double parts[3];
} record;

shared [4] int blocked[8 * THREADS];
shared int matrix[THREADS][6];
shared record records[2 * THREADS];
shared [] int whole[10];
shared int *shared links[THREADS];

/* Correct uses of everything that is checked. */
static void use_rightly(void) {
  const int next = (MYTHREAD + 1) % THREADS;
  int *own = (int *)&blocked[4 * MYTHREAD];
  shared [4] int *end = &blocked[8 * THREADS];
  shared int *inner = (shared int *)&matrix[MYTHREAD][6];
  for (int i = 0; i < 4; ++i) own[i] = 10 * MYTHREAD + i;
  SAME(end - blocked, 8 * THREADS);
  CHECK(inner != NULL);
  records[MYTHREAD].narrow = 7;
  records[MYTHREAD].narrow += 9;
  records[MYTHREAD].parts[2] = 0.5;
  records[MYTHREAD].number++;
  matrix[MYTHREAD][5] = MYTHREAD;
  links[MYTHREAD] = &matrix[MYTHREAD][5];
  shared [] int *given = upc_alloc(5 * sizeof(int));
  shared int *cyclic = upc_all_alloc(3 * THREADS, sizeof(int));
  for (int i = 0; i < 5; ++i) given[i] = i;
  for (int i = MYTHREAD; i < 3 * THREADS; i += THREADS) cyclic[i] = i;
  SAME(given[4] + cyclic[MYTHREAD], 4 + MYTHREAD);
  upc_free(given);
  upc_all_free(cyclic);
  upc_barrier 3;
  SAME(blocked[4 * next + 2], 10 * next + 2);
  const record copy = records[next];
  SAME(copy.narrow, 16);
  SAME(copy.number, 1);
  SAME(*links[next], next);
  upc_barrier;
  upc_forall (int i = 0; i < 8 * THREADS; ++i; &blocked[i]) blocked[i] = i;
  upc_notify;
  upc_wait;
  for (int i = 0; i < 8 * THREADS; ++i) SAME(blocked[i], i);
  SAME(sizeof(whole[20]), sizeof(int));
}

static int index_of(const char *text) { return (int)strlen(text); }

static void make_mistake(const char *way) {
  const int ten = 6 + index_of("four"), other = (MYTHREAD + 1) % THREADS;
  upc_lock_t *lock = upc_all_lock_alloc();
  shared int *null = NULL;
  shared [4] int *pair = upc_all_alloc(THREADS, 4 * sizeof(int));
  shared [] int *own = upc_alloc(16 * sizeof(int));
#line 1 "mistakes.upc"
  if (strcmp(way, "subscript") == 0) whole[ten] = 1;
  if (strcmp(way, "negative") == 0) blocked[4 - ten]++;
  if (strcmp(way, "column") == 0) ++matrix[0][ten - 4];
  if (strcmp(way, "member") == 0) records[0].parts[ten - 7] = 1;
  if (strcmp(way, "null") == 0) *null = 1;
  if (strcmp(way, "outside") == 0) *(&blocked[0] + (1L << 40)) = 1;
  if (strcmp(way, "cast") == 0) *(int *)&blocked[4 * other] = 1;
  if (strcmp(way, "relock") == 0 && MYTHREAD == 0) upc_lock(lock), upc_lock(lock);
  if (strcmp(way, "unlock") == 0) upc_unlock(lock);
  if (strcmp(way, "barrier") == 0) upc_barrier MYTHREAD;
  if (strcmp(way, "memget") == 0) upc_memget(&way, null, sizeof way);
  if (strcmp(way, "behind") == 0) pair[4 * THREADS] = 1;
  if (strcmp(way, "before") == 0) own[-1] = 1;
  if (strcmp(way, "beyond") == 0) own[ten + 7]++;
  if (strcmp(way, "freed") == 0 && MYTHREAD == 0) upc_free(pair), pair[0] = 1;
  upc_barrier;
}

int main(int count, char **words) {
  if (count > 1) make_mistake(words[1]);
  use_rightly();
  return check_result();
}
