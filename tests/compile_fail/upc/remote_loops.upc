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
