/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tasks that the threads take from one counter by an atomic operation, and a total that a lock guards. */

#include <stdio.h>
#include <upc_atomic.h>
#include <upc_relaxed.h>

#define TASKS 1000

shared long next_task;
shared long total;

int main(void) {
  upc_atomicdomain_t* domain = upc_all_atomicdomain_alloc(UPC_LONG, UPC_INC, 0);
  upc_lock_t* lock = upc_all_lock_alloc();
  long task, mine = 0;
  for (;;) {
    upc_atomic_relaxed(domain, &task, UPC_INC, &next_task, NULL, NULL);
    if (task >= TASKS) break;
    mine += task;
  }
  upc_lock(lock);
  total += mine;
  upc_unlock(lock);
  upc_barrier;
  if (MYTHREAD == 0) printf("%d tasks are done, their sum is %ld\n", TASKS, total);
  const int right = total == TASKS * (TASKS - 1L) / 2;
  upc_all_lock_free(lock);
  upc_all_atomicdomain_free(domain);
  return right ? 0 : 1;
}
