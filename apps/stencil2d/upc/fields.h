/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The C++ part of stencil2d calls the UPC part by these functions: two fields on each thread that
 * all threads reach, transfers between them, signals to neighbours, and sums. Collective are open,
 * close, barrier, notify, wait and sum. */
#ifndef ATOLL_STENCIL_UPC_FIELDS_H
#define ATOLL_STENCIL_UPC_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates fields of `elements` numbers, all 0. Returns 0, and allocates nothing, when there is no
 * memory. */
int stencil_upc_open(size_t elements);
void stencil_upc_close(void);

/* This thread's field 0 or 1. */
double* stencil_upc_field(unsigned which);

/* A rectangle that goes from one thread's field to the same field of another; offsets are in
 * numbers. */
struct stencil_upc_copy {
  unsigned field;
  unsigned thread;      /* the other one */
  ptrdiff_t its_offset; /* of the first number there, and here */
  ptrdiff_t own_offset;
  ptrdiff_t pitch;
  int width;
  int height;
};
void stencil_upc_put_elements(const struct stencil_upc_copy* copy);
void stencil_upc_put_rows(const struct stencil_upc_copy* copy);
void stencil_upc_get_rows(const struct stencil_upc_copy* copy);

/* Signals: a thread has one for each of eight directions. A number only grows. */
void stencil_upc_signal(unsigned thread, unsigned direction, uint64_t number);
uint64_t stencil_upc_signalled(unsigned direction);

void stencil_upc_barrier(void);
void stencil_upc_notify(void);
void stencil_upc_wait(void);
double stencil_upc_sum(double value);
uint64_t stencil_upc_sum_bits(uint64_t value);

/* The C++ part: the program, when UPC has started. Returns the exit code. */
int stencil_upc_main(int argc, char** argv, unsigned thread, unsigned threads);

#ifdef __cplusplus
}
#endif

#endif
