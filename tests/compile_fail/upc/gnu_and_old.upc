// SPDX-License-Identifier: BSD-3-Clause
//
// Code that the C standard forbids and compilers of GNU C accept: a warning reports it.
#include <stddef.h>

size_t size = sizeof(void);             // expect-warning: void has no size; GNU C takes 1 for it
int value(void) {
  return;                               // expect-warning: 'return' without a value in a function that returns 'int'
}
void nothing(void) {
  return;
}

int main(int count, char *words) {      // expect-warning: parameter 2 of main is 'char *', and main is called with 'char **'
  return count + (words == NULL) + value();
}
