/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A main that is C and starts UPC itself. */

#include <stdio.h>

void bupc_init(int* argc, char*** argv);
void bupc_exit(int code);
void tell_neighbours(void);

int main(int argc, char** argv) {
  bupc_init(&argc, &argv);
  tell_neighbours();
  puts("neighbours were told by C");
  bupc_exit(argc == 1 ? 0 : 1);
  return 2;
}
