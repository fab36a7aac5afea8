// SPDX-License-Identifier: BSD-3-Clause
//
// A unit that is C++.

#include <iostream>
#include <string>

extern "C" void print_line(int thread, int threads, int left) {
  const std::string line = "thread " + std::to_string(thread) + " of " + std::to_string(threads) +
                           ": " + std::to_string(left) + " is to my left\n";
  std::cout << line << std::flush;
}
