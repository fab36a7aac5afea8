/* SPDX-License-Identifier: BSD-3-Clause
 *
 * UPC begins before the other models, which the argument names in their order. */
#include <tests/multi/models/with_upc.h>

int main(int argc, char** argv) { return run_with_models(argc > 1 ? argv[1] : "GM"); }
