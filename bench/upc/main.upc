// SPDX-License-Identifier: BSD-3-Clause
//
// bench_upc starts as a UPC program; what it measures and how it reports is in program.cpp.
int bench_upc_main(int argc, char** argv);

int main(int argc, char** argv) { return bench_upc_main(argc, argv); }
