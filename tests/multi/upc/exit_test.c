/* SPDX-License-Identifier: BSD-3-Clause

   Ways to end, and mistakes, one per run by its name. CMakeLists.txt has the expected messages and
   exit codes. */
#include <tests/multi/upc/unit.h>

#include <stdlib.h>
#include <string.h>

int failures;

SHARED_OBJECT(A)

static const struct atoll_upc_object objects[] = {SHARED_ROW(A, 0, 4, 4, 1)};

REGISTER_UNIT(objects, NULL)

static void need(const char* file, int line) { ATOLL_UPC_AT(file, line); }

/* Mistakes that one thread makes; the others wait for it. */
static void misuse(const char* name) {
  const atoll_upc_pointer lock = upc_global_lock_alloc();
  const atoll_upc_pointer block = upc_global_alloc((size_t)ATOLL_UPC_THREADS, 8);
  if (strcmp(name, "null") == 0) {
    need("prog.upc", 12);
    ATOLL_UPC_PUT(int, ATOLL_UPC_NULL, 1);
  }
  if (strcmp(name, "outside") == 0) {
    ATOLL_UPC_GET(int, ((atoll_upc_pointer){(uint64_t)1 << 60, 0, 0}));
  }
  if (strcmp(name, "relock") == 0) {
    upc_lock(lock);
    upc_lock(lock);
  }
  if (strcmp(name, "unlock") == 0) upc_unlock(lock);
  if (strcmp(name, "free_twice") == 0) {
    upc_free(block);
    upc_free(block);
  }
  if (strcmp(name, "free_inside") == 0) upc_free(atoll_upc_add(block, 4, 1, 0));
  if (strcmp(name, "cast") == 0) {
    atoll_upc_pointer other = block;
    other.thread = 1;
    atoll_upc_local_checked(other, "prog.upc", 33);
  }
  if (strcmp(name, "notify") == 0) {
    atoll_upc_notify(0, 0);
    atoll_upc_notify(0, 0);
  }
  if (strcmp(name, "wait") == 0) atoll_upc_wait(0, 0);
  if (strcmp(name, "memset") == 0) upc_memset((atoll_upc_pointer){64, 1u << 30, 0}, 0, 8);
  if (strcmp(name, "signal") == 0) {
    const atoll_upc_pointer flag = bupc_sem_alloc(BUPC_SEM_BOOLEAN);
    bupc_memput_signal(block, name, 4, flag, 2);
  }
}

int atoll_upc_program(int count, char** words) {
  const char* const name = count > 1 ? words[1] : "";
  const int is_first = atoll_upc_mythread == 0;
  if (strcmp(name, "exits") == 0) {
    if (is_first) exit(0);
    return 0;
  }
  if (strcmp(name, "code") == 0) {
    if (atoll_upc_mythread == ATOLL_UPC_THREADS - 1) exit(3);
    return 0;
  }
  if (strcmp(name, "all_codes") == 0) return 4;
  if (strcmp(name, "spins") == 0) {
    const atoll_upc_pointer flag = ATOLL_UPC_OBJECT(A);
    if (!is_first) exit(6);
    while (ATOLL_UPC_GET(int, flag) == 0) continue; /* nobody writes it */
  }
  if (strcmp(name, "global") == 0) {
    if (is_first) {
      printf("said by thread 0");
      upc_global_exit(5);
    }
    for (;;) {
    }
  }
  if (strcmp(name, "values") == 0) {
    need("prog.upc", 7);
    atoll_upc_barrier(1, is_first ? 1 : 2);
  }
  if (strcmp(name, "wait_value") == 0) {
    atoll_upc_notify(1, 1);
    atoll_upc_wait(1, is_first ? 9 : 1);
  }
  if (strcmp(name, "early") == 0) {
    if (is_first) exit(0);
    atoll_upc_barrier(0, 0);
  }
  if (strcmp(name, "early_code") == 0) {
    if (is_first) exit(6);
    atoll_upc_barrier(0, 0);
  }
  if (is_first) misuse(name);
  atoll_upc_barrier(1, 5);
  return 0;
}
