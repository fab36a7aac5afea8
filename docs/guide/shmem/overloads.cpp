// SPDX-License-Identifier: BSD-3-Clause
//
// The same names in C++: overloads by the type, where C11 has macros. A histogram at all PEs, each
// of which owns some of the bins.
#include <shmem.h>

#include <cstdio>
#include <numeric>
#include <vector>

namespace {
constexpr int bins_per_pe = 8;
unsigned long bins[bins_per_pe];
unsigned long own, total;
}  // namespace

int main() {
  shmem_init();
  const unsigned all_bins = static_cast<unsigned>(bins_per_pe * shmem_n_pes());
  unsigned state = 17u + static_cast<unsigned>(shmem_my_pe());
  for (int i = 0; i < 1000; ++i) {
    state = state * 1664525u + 1013904223u;
    const unsigned bin = (state >> 16) % all_bins;
    shmem_atomic_inc(&bins[bin % bins_per_pe], static_cast<int>(bin / bins_per_pe));
  }
  shmem_barrier_all();
  own = std::accumulate(bins, bins + bins_per_pe, 0ul);
  shmem_sum_reduce(SHMEM_TEAM_WORLD, &total, &own, 1);
  const bool right = total == 1000ul * static_cast<unsigned long>(shmem_n_pes());
  if (shmem_my_pe() == 0) std::printf("%lu numbers are counted\n", total);
  shmem_finalize();
  return right ? 0 : 1;
}
