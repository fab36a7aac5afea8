/* SPDX-License-Identifier: BSD-3-Clause

   What with_upc.upc calls of with_upc.cpp: UPC++, GASNet-EX and, where it is linked, MPI, each by
   functions of C. A check that fails ends the program. */
#ifndef ATOLL_TESTS_MODELS_WITH_UPC_H
#define ATOLL_TESTS_MODELS_WITH_UPC_H

#ifdef __cplusplus
extern "C" {
#endif

/* Begins the model; its ranks must be those of UPC. The last returns 0 where it is not linked. */
void begin_upcxx(int thread, int threads);
void end_upcxx(void);
void begin_gex(int thread, int threads);
int begin_mpi(int thread, int threads);
void end_mpi(void);

/* `own` is an object of UPC, on each thread its own: UPC++ writes the value to that of the next
   thread. */
void put_by_upcxx(long* own, long value);

/* A call to the next thread, which adds to a number there; the number when all have come. */
long call_by_upcxx(long value);

/* A message to the next thread; what the previous one has sent. */
long send_by_gex(long value);

/* The sum over all threads; and one value to the next thread, from object to object. */
long sum_by_mpi(long value);
void shift_by_mpi(const long* source, long* target);

#ifdef __cplusplus
}
#endif

#endif
