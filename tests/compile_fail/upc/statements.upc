// SPDX-License-Identifier: BSD-3-Clause
//
// upc_forall and barriers: violated constraints are errors, undefined behaviour is a warning (UPC 1.3, 6.6.1, 6.6.2).
#include <upc.h>

struct pair {
  int first, second;
} pair;
shared int array[THREADS], *pointer;
int local[4];
#pragma upc nonsense  // expect-error: is not a pragma of UPC

void affinities(void) {
  int i;
  upc_forall (i = 0; i < 4; i++; i) local[0] = i;
  upc_forall (i = 0; i < 4; i++; &array[i]) local[0] = i;
  upc_forall (i = 0; i < 4; i++; array) local[0] = i;
  upc_forall (i = 0; i < 4; i++; continue) local[0] = i;
  upc_forall (i = 0; i < 4; i++;) local[0] = i;
  upc_forall (i = 0; i < 4; i++; 1.5) local[0] = i;        // expect-error: the affinity of a upc_forall must be an integer or a pointer-to-shared, not 'double'
  upc_forall (i = 0; i < 4; i++; &local[i]) local[0] = i;  // expect-error: not 'int *'
  upc_forall (i = 0; i < 4; i++; pair) local[0] = i;       // expect-error: not 'struct pair'
}

int ways_out(void) {
  int i, j;
  upc_forall (i = 0; i < 4; i++; i) {
    if (local[i]) break;                         // expect-warning: a break out of a upc_forall
    for (j = 0; j < 4; j++) {
      if (local[j]) break;
    }
    if (local[i] == 2) continue;
    if (local[i] == 3) return 1;                 // expect-warning: a return out of a upc_forall
    if (local[i] == 4) goto out;                 // expect-warning: a goto out of a upc_forall
    goto inside;
  inside:;
  }
  if (local[0] == 9) goto in;                    // expect-warning: a goto into a upc_forall
  upc_forall (i = 0; i < 4; i++; i) {
  in:;
  }
out:
  return 0;
}

void collective(void) {
  int i;
  upc_forall (i = 0; i < 4; i++; i) upc_barrier;   // expect-warning: upc_barrier inside a upc_forall
  upc_forall (i = 0; i < 4; i++; i) pointer = upc_all_alloc(1, 4);  // expect-warning: upc_all_alloc inside a upc_forall
  upc_forall (i = 0; i < 4; i++; continue) upc_barrier;
}

void values(void) {
  upc_barrier 1;
  upc_barrier 2.5;
  upc_barrier pair;     // expect-error: the value of upc_barrier must be an integer, not 'struct pair'
  upc_barrier pointer;  // expect-error: the value of upc_barrier must be an integer
  upc_barrier local;    // expect-error: the value of upc_barrier must be an integer
  MYTHREAD = 1;         // expect-error: MYTHREAD is a value, not a variable: it cannot be assigned
  THREADS = 1;          // expect-error: THREADS is a value, not a variable: it cannot be assigned
  local[0] = *&MYTHREAD;  // expect-error: MYTHREAD is a value, not a variable: it has no address
  local[0] = *&THREADS;   // expect-error: THREADS is a value, not a variable: it has no address
  upc_notfy;            // expect-error: did you mean 'upc_notify'?
  barrier;              // expect-error: did you mean 'upc_barrier'?
}

void alternate(void) {
  upc_notify;
  local[0] = 1;
  upc_wait;
  upc_notify 1;
  upc_notify 1;   // expect-warning: upc_notify after the upc_notify of line 71
  upc_barrier;    // expect-warning: upc_barrier after the upc_notify of line 72
  upc_wait;       // expect-warning: upc_wait without a upc_notify before it
}

int main(void) {
  upc_wait;       // expect-warning: upc_wait without a upc_notify before it
  upc_notify;
  upc_all_free(pointer);  // expect-warning: upc_all_free after the upc_notify
}                 // expect-warning: the program ends between upc_notify
