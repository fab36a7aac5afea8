// SPDX-License-Identifier: BSD-3-Clause
//
// spin_upc starts as a UPC program; options, iteration and report are the C++ ones of all other
// programs of spin.
#include "product.h"

int main(int argc, char** argv) { return spin_upc_main(argc, argv, MYTHREAD, THREADS); }
