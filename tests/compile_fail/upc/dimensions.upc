// SPDX-License-Identifier: BSD-3-Clause
//
// Sizes of shared arrays where the number of threads is not known (UPC 1.3, 6.5.2.1).

shared int none[10];                      // expect-error: must be a multiple of THREADS
shared int sum[10 + THREADS];             // expect-error: must be a multiple of THREADS
shared int two[THREADS][4 * THREADS];     // expect-error: may be a factor of one dimension of a shared array only, and once
shared [] int on_one[THREADS];            // expect-error: lies on one thread
shared int (*pointer)[THREADS][THREADS];  // expect-error: may be a factor of one dimension
typedef shared int name[THREADS][THREADS];  // expect-error: may be a factor of one dimension
typedef int row[THREADS];
shared row rows[THREADS];                 // expect-error: may be a factor of one dimension
shared int twice_times[THREADS * 100 * 20];  // expect-error: must stand alone or be multiplied by one constant
shared int twice_before[2 * (3 * THREADS)];  // expect-error: must stand alone or be multiplied by one constant
typedef shared int named_product[THREADS * 2 * 2];  // expect-error: must stand alone or be multiplied by one constant
shared int from_values[] = {1, 2, 3};     // expect-error: must be a multiple of THREADS

shared int right[10 * THREADS], also[THREADS * (100 * 20)], more[3][THREADS][2];
shared int factors[10 * 2 * THREADS], in_brackets[(THREADS) * 4];
shared [] int together[10];
extern shared int open[];
shared row one_row, ten_rows[10];

void lengths(int n) {
  static shared int variable[n];          // expect-error: variable
}
