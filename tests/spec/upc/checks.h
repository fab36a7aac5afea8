/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Checks for the programs of this folder. A check that fails prints its place, its words and the
 * thread; the program goes on, and its thread ends with what check_result says: 1 if any failed.
 * Only private memory is used, so that a check tests nothing but its own words. */

#pragma once

#include <stdio.h>
#include <stdlib.h>

static int checks_failed;

static inline void check_that(int holds, const char* words, const char* file, int line) {
  if (holds) return;
  if (checks_failed++ < 20)
    fprintf(stderr, "%s:%d: thread %d of %d: %s\n", file, line, (int)MYTHREAD, (int)THREADS, words);
}

static inline void check_same(long long is, long long expected, const char* words, const char* file,
                              int line) {
  if (is == expected) return;
  if (checks_failed++ < 20)
    fprintf(stderr, "%s:%d: thread %d of %d: %s is %lld, not %lld\n", file, line, (int)MYTHREAD,
            (int)THREADS, words, is, expected);
}

#define CHECK(condition) check_that((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define SAME(is, expected) \
  check_same((long long)(is), (long long)(expected), #is, __FILE__, __LINE__)

static inline int check_result(void) { return checks_failed ? 1 : 0; }

/* Random numbers that are the same in each run. */
static unsigned long long check_seed = 88172645463325252ULL;

static inline unsigned random_below(unsigned limit) {
  check_seed ^= check_seed << 13;
  check_seed ^= check_seed >> 7;
  check_seed ^= check_seed << 17;
  return (unsigned)((check_seed >> 20) % limit);
}
