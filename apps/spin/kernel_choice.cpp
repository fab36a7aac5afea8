// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses which of the compiled kernels this processor runs. ATOLL_SPIN_X86 says whether the ones
// for AVX2 and AVX-512 were built.
#include <apps/spin/kernel.hpp>

namespace spin {

extern const kernels baseline;

#ifdef ATOLL_SPIN_X86
extern const kernels avx2;
extern const kernels avx512;

kernel_list usable_kernels() noexcept {
  kernel_list usable{{&baseline}, 1};
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return usable;
  usable.entries[usable.count++] = &avx2;
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
  if (wide) usable.entries[usable.count++] = &avx512;
  return usable;
}
#else
kernel_list usable_kernels() noexcept { return {{&baseline}, 1}; }
#endif

const kernels& best_kernels() noexcept {
  const kernel_list usable = usable_kernels();
  return *usable.entries[usable.count - 1];
}

}  // namespace spin
