/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A list of parts that each thread allocates in its own memory and links by pointers-to-shared; every thread reads
 * all of it. */

#include <stdio.h>
#include <upc_relaxed.h>

typedef struct part {
  int owner;
  double mass;
  shared [] struct part* next;
} part;

shared [] part* shared first;
upc_lock_t* lock;

static void add(double mass) {
  shared [] part* made = (shared [] part*)upc_alloc(sizeof(part));
  made->owner = MYTHREAD;
  made->mass = mass;
  upc_lock(lock);
  made->next = first;
  first = made;
  upc_unlock(lock);
}

int main(void) {
  lock = upc_all_lock_alloc();
  for (int i = 0; i <= MYTHREAD; ++i) add(1.5);
  upc_barrier;
  int parts = 0;
  double mass = 0;
  for (shared [] part* at = first; at != NULL; at = at->next) {
    ++parts;
    mass += at->mass;
  }
  printf("thread %d sees %d parts of mass %.1f\n", MYTHREAD, parts, mass);
  return parts == THREADS * (THREADS + 1) / 2 ? 0 : 1;
}
