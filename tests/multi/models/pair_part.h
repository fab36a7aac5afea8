/* SPDX-License-Identifier: BSD-3-Clause

   The parts of a program of pairs of models (pairs.cpp) that are in Fortran, in UPC and in UPC++.
   Each model has one block of `pair_words` ints per rank, alike on all ranks, whose first word is a
   counter. A part that is not linked is null. Offsets and counts are in words; ranks count from 0.
 */
#ifndef ATOLL_TESTS_MODELS_PAIR_PART_H
#define ATOLL_TESTS_MODELS_PAIR_PART_H

enum { pair_words = 32768 };

#ifdef __cplusplus
extern "C" {
#endif
#define PAIR_PART __attribute__((weak))

/* Coarrays: the first allocation joins the job. */
PAIR_PART void coarray_begin(void);
PAIR_PART int coarray_rank(void);
PAIR_PART int coarray_size(void);
PAIR_PART int* coarray_own(void); /* the block of this image */
PAIR_PART void coarray_put(int rank, int at, const int* source, int count);
PAIR_PART void coarray_get(int rank, int at, int* target, int count);
PAIR_PART void coarray_fence(void);
PAIR_PART void coarray_sync(void);
PAIR_PART int coarray_sum(int value);
PAIR_PART void coarray_increase(void); /* the counter of rank 0, atomically */

/* UPC: bupc_init() in pairs.cpp joins the job. */
PAIR_PART void upc_part_begin(void);
PAIR_PART int upc_part_rank(void);
PAIR_PART int upc_part_size(void);
PAIR_PART int* upc_part_own(void);
PAIR_PART void upc_part_start_put(int rank, int at, const int* source, int count);
PAIR_PART void upc_part_get(int rank, int at, int* target, int count);
PAIR_PART void upc_part_fence(void);
PAIR_PART void upc_part_sync(void);
PAIR_PART void upc_part_notify(void);
PAIR_PART void upc_part_wait(void);
PAIR_PART int upc_part_sum(int value);
PAIR_PART void upc_part_increase(void);
/* Makes the blocks of another model the ones that the following functions use; collective. */
PAIR_PART void upc_part_adopt(int* block);
PAIR_PART void upc_part_put_adopted(int rank, int at, const int* source, int count);
PAIR_PART void upc_part_get_adopted(int rank, int at, int* target, int count);
PAIR_PART void upc_part_increase_adopted(void);

/* UPC++: begins and ends it. A put is complete after the fence. */
void upcxx_part_begin(void);
void upcxx_part_end(void);
int upcxx_part_rank(void);
int upcxx_part_size(void);
int* upcxx_part_own(void);
void upcxx_part_start_put(int rank, int at, const int* source, int count);
void upcxx_part_get(int rank, int at, int* target, int count);
void upcxx_part_fence(void);
void upcxx_part_sync(void);
void upcxx_part_notify(void);
void upcxx_part_wait(void);
int upcxx_part_sum(int value);
void upcxx_part_increase(void);

#ifdef __cplusplus
}
#endif

#endif
