/* SPDX-License-Identifier: BSD-3-Clause

   The way in which a translated unit tells the library, before the program starts, of its static
   shared objects and of the function that initialises them; the unit with main also gives the
   program itself (UPC language specification 1.3, 5.1.2.2 and 6.4.1).

   Each object has a common symbol NAME__offset, which the linker merges across units. When the
   program starts, every thread walks the units in the same order, lays the objects out in one block
   of the symmetric heap that is filled with zeros, and writes their offsets; then it runs
   `initialise` of each unit. In it thread 0 initialises shared objects, and all threads initialise
   private pointers-to-shared. A barrier follows, and then the program's main. */
#ifndef ATOLL_UPC_PROGRAM_H
#define ATOLL_UPC_PROGRAM_H

#include <atoll/abi.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header, and of the rows that accesses read. */
#define ATOLL_UPC_ABI_VERSION (ATOLL_ABI_VERSION << 16 | 6u)

/* Flag of a unit: several threads of the process access shared memory, as those of OpenMP do. */
#define ATOLL_UPC_SEVERAL_THREADS 1u

/* An object of bytes_fixed + bytes_times_threads * THREADS bytes, in elements of element_size and
   blocks of block_size elements; block_size 0: all of it lies on thread 0. */
struct atoll_upc_object {
  const char* name;
  uintptr_t offset; /* the address of NAME__offset */
  size_t bytes_fixed;
  size_t bytes_times_threads;
  size_t element_size;
  size_t block_size;
  size_t alignment;
  unsigned flags; /* 0 */
};

struct atoll_upc_unit {
  unsigned abi_version; /* ATOLL_UPC_ABI_VERSION */
  int static_threads;   /* 0: THREADS is not known when compiling */
  const char* file;
  const struct atoll_upc_object* objects; /* of static storage */
  size_t count;
  void (*initialise)(void); /* null: nothing to initialise */
  unsigned flags;           /* ATOLL_UPC_SEVERAL_THREADS, or 0 */
};

/* Called by a constructor of each unit; copies *unit. */
void atoll_upc_register_unit(const struct atoll_upc_unit* unit);

/* The program's main with the signature that the library calls; the translator emits it. */
int atoll_upc_program(int argc, char** argv);

/* Runs the program as a thread of the job, and returns its exit code: main of
   libatoll_upc_start.a. */
int atoll_upc_start(int argc, char** argv, int (*program)(int, char**));

/* Sets the shared memory per thread that the program was linked for (upcc -shared-heap); before the
   start. */
void atoll_upc_want_shared_heap(unsigned long long bytes);

/* The pointer to a static shared object. */
#define ATOLL_UPC_OBJECT(name) ((atoll_upc_pointer){name##__offset, 0, 0})

#ifdef __cplusplus
}
#endif

#endif
