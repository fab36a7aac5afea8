/* SPDX-License-Identifier: BSD-3-Clause

   The UPC part of spin, as its C++ part sees it: two vectors that are shared by all threads, and
   the products of H with them. Blocks of states are distributed cyclically over the threads, so
   `THREADS` and the block size are powers of two and every thread holds at least one block.

   All functions are collective except spin_upc_offer. */
#ifndef ATOLL_SPIN_UPC_PRODUCT_H
#define ATOLL_SPIN_UPC_PRODUCT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* States of a block. Tests compile with small blocks, to have many of them in a short vector. */
#ifndef SPIN_UPC_BLOCK
#define SPIN_UPC_BLOCK 4096
#endif

struct spin_upc_chain {
  unsigned sites;
  double coupling;
  double flip; /* the matrix element of one flip */
  int periodic;
};

/* The names of the variants in their order; null after the last one. */
extern const char* const spin_upc_variants[];

/* Allocates for a variant. Returns 0, with nothing allocated, when some thread has no memory. */
int spin_upc_open(const struct spin_upc_chain* model, unsigned variant);
void spin_upc_close(void);

/* This thread's part of vector 0 or 1: spin_upc_count() numbers in contiguous blocks. They are zero
   at first. */
double* spin_upc_part(unsigned which);
size_t spin_upc_count(void);

/* The state at the first place of one of this thread's blocks. */
uint64_t spin_upc_first_state(size_t block);

/* A block of a vector of this thread is final: variants that put blocks do it now. */
void spin_upc_offer(unsigned which, size_t block);

/* out = scale * H in - previous * out, where all blocks of `in` were offered by all threads. */
void spin_upc_apply(unsigned out, unsigned in, double scale, double previous);

/* The sum of one number of each thread, added up in the order of threads. */
double spin_upc_sum(double value);

/* Nanoseconds that this thread waited for others, and bytes that it moved to or from them. */
int64_t spin_upc_waited_ns(void);
uint64_t spin_upc_moved_bytes(void);

/* The C++ part: the program, when UPC has started. Returns the exit code. */
int spin_upc_main(int argc, char** argv, unsigned thread, unsigned threads);

#ifdef __cplusplus
}
#endif

#endif
