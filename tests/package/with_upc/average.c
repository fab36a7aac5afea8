/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A unit that is C. */

double average(const int* values, int count) {
  double shared = 0;
  for (int i = 0; i < count; ++i) shared += values[i];
  return shared / count;
}
