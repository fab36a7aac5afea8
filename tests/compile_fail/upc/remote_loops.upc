// SPDX-License-Identifier: BSD-3-Clause
//
// -Wupc-remote-loop, which is off without this option or -Wextra.
// options: -Wupc-remote-loop

#define N (16 * THREADS)
shared [4] double array[N], same[N];
shared [2] double another[N];
double local[16];

void loops(void) {
  int i;
  for (i = 0; i < 16; i++) local[i] = array[i];            // expect-warning: each iteration reads one element, array[i]
  for (i = 0; i < 16; i++) array[i] = local[i];            // expect-warning: each iteration writes one element, array[i]
  upc_forall (i = 0; i < N; i++; &array[i]) array[i] = same[i] + 1;
  upc_forall (i = 0; i < N; i++; &array[i]) array[i] = another[i];  // expect-warning: reads one element, another[i]
  for (i = 0; i < 16; i++) local[i] = array[0];
  double *own = (double *)&array[4 * MYTHREAD];
  for (i = 0; i < 4; i++) own[i] = i;
}

// Loops that the translator turns into copies of whole blocks, and loops that it cannot turn into them.
shared [16] double far[N], away[N];
strict shared [16] double guarded[N];
void step(void);
double next(double);

void runs(int first) {
  int i;
  double sum = 0;
  for (i = 0; i < 16; i++) local[i] = far[i];
  for (i = 0; i < 16; i++) far[first + i] = local[i];
  for (i = 0; i < 16; i++) far[i] = 2 * away[i];
  for (i = 15; i >= 0; i--) sum += far[i];  // expect-warning: that may lie on another thread: copy a block
  for (i = 0; i < 16; i++) local[i] = next(far[i]);  // expect-warning: (the loop copies no block by itself, because it calls a function or synchronizes): copy a block by upc_memget
  for (i = 0; i < 16; i++) if (local[i] > 0) far[i] = 0;  // expect-warning: because not every iteration writes the whole element): copy a block by upc_memput
  for (i = 0; i < 16; i++) far[i] = far[i + 16];  // expect-warning: because what it writes may be what it accesses in another way)
  for (i = 0; i < 16; i++) sum += array[i];  // expect-warning: because blocks of 4 are too short)
  upc_forall (i = 0; i < N; i++; &array[i]) array[i] = far[i];
  upc_forall (i = 0; i < N; i++; i) local[i] = far[i];  // expect-warning: reads one element, far[i]
  for (i = 0; i < 16; i++) sum += guarded[i];
  for (int block = 0; block < THREADS; block++)
    for (i = 0; i < 16; i++) sum += far[16 * block + i];
}
