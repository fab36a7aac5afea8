// SPDX-License-Identifier: BSD-3-Clause
//
// The program of with_upc.upc, with a main in C++ that begins models before UPC: the first argument
// names them in their order, the second one those that begin after it.
#include <bupc_extensions.h>
#include <tests/multi/models/with_upc.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s MODELS_BEFORE_UPC MODELS_AFTER_UPC\n", argv[0]);
    return 2;
  }
  begin_models(argv[1]);
  bupc_init(&argc, &argv);
  return run_with_models(argv[2]);
}
