// SPDX-License-Identifier: BSD-3-Clause
//
// A rank that starts Atoll, meets the others and leaves. Started by bench_startup beside its peers:
// what it takes longer than an empty program is what the runtime costs at start and end.
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
