/* SPDX-License-Identifier: BSD-3-Clause

   The functions in C by which with_upc.upc uses UPC++, GASNet-EX and, where it is linked, MPI; they
   are in with_upc.cpp. A check that fails ends the program. */
#ifndef ATOLL_TESTS_MODELS_WITH_UPC_H
#define ATOLL_TESTS_MODELS_WITH_UPC_H

#ifdef __cplusplus
extern "C" {
#endif

/* Begins models in this order: X is UPC++, G is GASNet-EX, M is MPI where it is linked. A program
   begins each of them once, before or after UPC; UPC++ may begin again while UPC runs. */
void begin_models(const char* letters);
/* Checks that the models that have begun have UPC's ranks; returns whether MPI is one of them. */
int check_models(int thread, int threads);
/* Ends MPI, and UPC++ where it began as a model. */
void end_models(void);
void begin_upcxx(void);
void end_upcxx(void);

/* In with_upc.upc: begins models in this order and checks them; for programs whose main is not UPC
   too. Returns the exit code. */
int run_with_models(const char* letters);

/* `own` is an object of UPC on this thread; UPC++ writes the value to the object of the next
   thread. */
void put_by_upcxx(long* own, long value);

/* Calls a function at the next thread that adds to a number; returns this thread's sum. */
long call_by_upcxx(long value);

/* Sends a message to the next thread; returns the value of the previous thread's message. */
long send_by_gex(long value);

/* An access region of GASNet-EX. Its end waits for the operations that are under way in it, and
   returns whether there were any. */
void begin_gex_region(void);
int end_gex_region(void);

/* The sum over all threads; and one value to the next thread, from object to object. */
long sum_by_mpi(long value);
void shift_by_mpi(const long* source, long* target);

#ifdef __cplusplus
}
#endif

#endif
