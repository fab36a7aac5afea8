/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stencil2d_upc starts here, as a UPC program; options, rounds and report are the C++ ones of all other programs of
 * stencil2d. A thread's fields are the blocks that upc_all_alloc gives it. Signals are strict: a thread that has
 * seen one sees what was put before it. */
#include "fields.h"

#include <upc_relaxed.h>

#define DIRECTIONS 8
#define LINE 8 /* numbers of a cache line, so that signals do not share one */

static shared double* fields[2];
strict shared [DIRECTIONS * LINE] uint64_t signals[DIRECTIONS * LINE * THREADS];
shared double sums[THREADS];
shared uint64_t bit_sums[THREADS];

int main(int argc, char** argv) { return stencil_upc_main(argc, argv, MYTHREAD, THREADS); }

static shared [] double* field_of(unsigned which, unsigned thread) {
  return (shared [] double*)&fields[which][thread];
}

int stencil_upc_open(size_t elements) {
  for (int which = 0; which < 2; ++which) {
    fields[which] = (shared double*)upc_all_alloc(THREADS, elements * sizeof(double));
    if (fields[which] != NULL) {
      double* own = stencil_upc_field(which);
      for (size_t i = 0; i < elements; ++i) own[i] = 0;
    } else {
      stencil_upc_close();
      return 0;
    }
  }
  upc_barrier;
  return 1;
}

void stencil_upc_close(void) {
  for (int which = 0; which < 2; ++which) {
    upc_all_free(fields[which]);
    fields[which] = NULL;
  }
}

double* stencil_upc_field(unsigned which) { return (double*)field_of(which, MYTHREAD); }

void stencil_upc_put_elements(const struct stencil_upc_copy* copy) {
  shared [] double* theirs = field_of(copy->field, copy->thread) + copy->its_offset;
  const double* own = stencil_upc_field(copy->field) + copy->own_offset;
  for (int y = 0; y < copy->height; ++y)
    for (int x = 0; x < copy->width; ++x) theirs[y * copy->pitch + x] = own[y * copy->pitch + x];
}

void stencil_upc_put_rows(const struct stencil_upc_copy* copy) {
  shared [] double* theirs = field_of(copy->field, copy->thread) + copy->its_offset;
  const double* own = stencil_upc_field(copy->field) + copy->own_offset;
  for (int y = 0; y < copy->height; ++y)
    upc_memput(theirs + y * copy->pitch, own + y * copy->pitch, copy->width * sizeof(double));
}

void stencil_upc_get_rows(const struct stencil_upc_copy* copy) {
  shared [] double* theirs = field_of(copy->field, copy->thread) + copy->its_offset;
  double* own = stencil_upc_field(copy->field) + copy->own_offset;
  for (int y = 0; y < copy->height; ++y)
    upc_memget(own + y * copy->pitch, theirs + y * copy->pitch, copy->width * sizeof(double));
}

void stencil_upc_signal(unsigned thread, unsigned direction, uint64_t number) {
  signals[(thread * DIRECTIONS + direction) * LINE] = number;
}

uint64_t stencil_upc_signalled(unsigned direction) { return signals[(MYTHREAD * DIRECTIONS + direction) * LINE]; }

void stencil_upc_barrier(void) { upc_barrier; }
void stencil_upc_notify(void) { upc_notify; }
void stencil_upc_wait(void) { upc_wait; }

/* Each thread adds in the order of threads, so that all have the same sum. */
double stencil_upc_sum(double value) {
  sums[MYTHREAD] = value;
  upc_barrier;
  double sum = 0;
  for (int thread = 0; thread < THREADS; ++thread) sum += sums[thread];
  upc_barrier;
  return sum;
}

uint64_t stencil_upc_sum_bits(uint64_t value) {
  bit_sums[MYTHREAD] = value;
  upc_barrier;
  uint64_t sum = 0;
  for (int thread = 0; thread < THREADS; ++thread) sum += bit_sums[thread];
  upc_barrier;
  return sum;
}
