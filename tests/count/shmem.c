/* SPDX-License-Identifier: BSD-3-Clause

   Puts, gets and atomics of one word by shmem.h, to static variables and to the heap, in separate
   functions, in which count_test.py counts instructions. Where the compiler knows that the address
   is a variable's, inline code compares it with the program's data first, so that it costs no more
   than an address in the heap. For an element of an array whose index is not known when compiling,
   inline code compares with the heap first. The loops have `words` operations each. */
#include <shmem.h>

enum { words = 64, times = 10000 };

static long variable, array[words];

__attribute__((noinline)) void counted_puts_to_a_variable(int pe) {
  int i;
  for (i = 0; i < words; ++i) shmem_long_p(&variable, i, pe);
}

__attribute__((noinline)) void counted_puts_to_an_array(int pe) {
  int i;
  for (i = 0; i < words; ++i) shmem_long_p(&array[i], i, pe);
}

__attribute__((noinline)) void counted_puts_to_the_heap(long* heap, int pe) {
  int i;
  for (i = 0; i < words; ++i) shmem_long_p(&heap[i], i, pe);
}

__attribute__((noinline)) void counted_copies_to_the_heap(long* heap, const long* from, int pe) {
  int i;
  for (i = 0; i < words; ++i) shmem_putmem(&heap[i], &from[i], sizeof *from, pe);
}

__attribute__((noinline)) long counted_gets_of_a_variable(int pe) {
  long sum = 0;
  int i;
  for (i = 0; i < words; ++i) sum += shmem_long_g(&variable, pe);
  return sum;
}

__attribute__((noinline)) void counted_adds_to_a_variable(int pe) {
  int i;
  for (i = 0; i < words; ++i) shmem_long_atomic_add(&variable, 1, pe);
}

int main(void) {
  long* heap;
  int i;
  shmem_init();
  heap = shmem_malloc(words * sizeof *heap);
  if (heap == NULL) return 1;
  for (i = 0; i < times; ++i) {
    counted_puts_to_an_array(0);
    counted_puts_to_the_heap(heap, 0);
    if (heap[i % words] != i % words || array[i % words] != i % words) return 1;
    heap[i % words] = -1;
    counted_copies_to_the_heap(heap, array, 0);
    if (heap[i % words] != i % words) return 1;
    counted_puts_to_a_variable(0);
    if (counted_gets_of_a_variable(0) != words * (words - 1)) return 1;
    counted_adds_to_a_variable(0);
    if (variable != words - 1 + words) return 1;
  }
  shmem_free(heap);
  shmem_finalize();
  return 0;
}
