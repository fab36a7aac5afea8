// SPDX-License-Identifier: BSD-3-Clause
//
// Clang 19 crashes where a function is assigned to a pointer-to-shared; the translator then names the line.

shared int *allocate(int count);
shared int *pointer;  // expect-error: the translator fails on the declaration that follows this line
void assign(void) {
  pointer = allocate;
}
