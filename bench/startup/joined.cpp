// SPDX-License-Identifier: BSD-3-Clause
//
// A rank that starts Atoll, meets the others and leaves. bench_startup starts it beside its peers:
// the time beyond that of an empty program is the cost of the runtime at start and end.
#include <atoll/core/job/runtime.hpp>

#include <cstdio>
#include <exception>

int main() {
  try {
    const atl::runtime job;
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
