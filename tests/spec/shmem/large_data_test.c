/* SPDX-License-Identifier: BSD-3-Clause

   A program with a large array that is never filled: its variables become symmetric without taking
   memory for it, are reachable at both ends and in the middle, and keep their values through
   finalization and another initialization. With an argument there is less memory than the arrays of
   two PEs would take: they still become symmetric, and the heap has room. Ends with the number of
   errors. */
#include <shmem.h>

#include <stdio.h>
#include <unistd.h>

enum { count = 1 << 27 };
static long large[count]; /* 1 GiB */
static long changed_before = 3;

static long resident_bytes(void) {
  FILE* const file = fopen("/proc/self/statm", "r");
  long pages = 0, resident = 0;
  if (file == NULL) return 0;
  if (fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

int main(int argc, char** argv) {
  (void)argv;
  const long before = resident_bytes();
  int errors = 0, me, right, left, i;
  const long places[] = {0, count / 2, count - 1};
  large[count - 1] = 5;
  changed_before = 4;
  shmem_init();
  me = shmem_my_pe();
  right = (me + 1) % shmem_n_pes();
  left = (me + shmem_n_pes() - 1) % shmem_n_pes();
  errors += large[count - 1] != 5 || shmem_long_g(&changed_before, right) != 4;
  if (argc > 1) {
    errors += shmem_ptr(large, right) == NULL;
    errors += shmem_malloc(16 << 20) == NULL;
  }
  shmem_barrier_all();
  for (i = 0; i < 3; ++i) shmem_long_p(&large[places[i]], me + i, right);
  shmem_barrier_all();
  for (i = 0; i < 3; ++i) errors += large[places[i]] != left + i;
  errors += resident_bytes() - before > 64 << 20;
  shmem_finalize();
  for (i = 0; i < 3; ++i) errors += large[places[i]] != left + i;
  shmem_init();
  for (i = 0; i < 3; ++i) errors += shmem_long_g(&large[places[i]], right) != me + i;
  shmem_finalize();
  if (errors != 0) fprintf(stderr, "PE %d: %d errors\n", me, errors);
  return errors;
}
