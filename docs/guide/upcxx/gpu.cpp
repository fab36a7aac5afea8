// SPDX-License-Identifier: BSD-3-Clause
//
// Each rank sends an array to the next rank's device, or to its shared memory where that rank has
// no device, and reads back what has come to its own. Nothing of CUDA is needed to compile it.
#include <upcxx/upcxx.hpp>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <vector>

int main() {
  upcxx::init();
  const int me = upcxx::rank_me();
  constexpr std::size_t count = 1000;

  auto gpu = upcxx::make_gpu_allocator(std::size_t{1} << 20);  // on a device that suits this rank
  using anywhere = upcxx::global_ptr<double, upcxx::memory_kind::any>;
  const anywhere mine = gpu.is_active() ? anywhere(gpu.allocate<double>(count))
                                        : anywhere(upcxx::new_array<double>(count));
  const upcxx::dist_object<anywhere> all(mine);
  const anywhere next = all.fetch((me + 1) % upcxx::rank_n()).wait();

  const std::vector<double> values(count, me);
  upcxx::copy(values.data(), next, count).wait();  // whatever the memory, whoever the owner
  upcxx::barrier();
  std::vector<double> come(count);
  upcxx::copy(mine, come.data(), count).wait();

  const int previous = (me + upcxx::rank_n() - 1) % upcxx::rank_n();
  if (std::count(come.begin(), come.end(), previous) != static_cast<std::ptrdiff_t>(count))
    return 1;
  upcxx::experimental::say() << "values came to memory of kind " << mine.dynamic_kind();
  upcxx::barrier();
  gpu.destroy();  // by all, also where it is inactive
  upcxx::finalize();
}
