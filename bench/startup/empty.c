/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank that does nothing: the cost of starting it is the launcher's cost. In C, so that not even
 * the C++ runtime is loaded, and the same program for all launchers that bench_startup compares. */

int main(void) { return 0; }
