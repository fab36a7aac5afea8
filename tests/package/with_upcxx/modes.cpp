// SPDX-License-Identifier: BSD-3-Clause
//
// Prints how it was compiled: the macros of the headers and the version of C++. A part is in C.
#include <upcxx/version.hpp>

#include <cstdio>

extern "C" int half(int n);

int main() {
#ifdef UPCXX_THREADMODE
  const char* threads = "par";
#else
  const char* threads = "seq";
#endif
#ifdef __OPTIMIZE__
  const char* code = "opt";
#else
  const char* code = "debug";
#endif
  const int standard = static_cast<int>(__cplusplus / 100 % 100);
  std::printf("%s %s %d C++%d\n", threads, code, UPCXX_ASSERT_ENABLED, half(2 * standard));
}
