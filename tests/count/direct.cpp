// SPDX-License-Identifier: BSD-3-Clause
//
// One put and one get of 8 bytes to memory that is mapped here, each in a function of its own whose
// instructions count_test.py counts. The functions are never inlined, so the count includes the
// test of locality, the store or load and the return, and nothing of the loop.
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <cstdint>
#include <cstdlib>

// Their names must be plain symbols.
extern "C" {

[[gnu::noinline]] void counted_put(atl::endpoint& endpoint, atl::rank_id target, std::uint64_t* to,
                                   std::uint64_t value) {
  atl::put_value(endpoint, target, to, value);
}

[[gnu::noinline]] std::uint64_t counted_get(atl::endpoint& endpoint, atl::rank_id target,
                                            const std::uint64_t* from) {
  return atl::get_value(endpoint, target, from);
}

}  // extern "C"

int main() {
  constexpr std::uint64_t times = 10'000;
  atl::runtime job;
  auto* const place = static_cast<std::uint64_t*>(job.heap().allocate(sizeof(std::uint64_t)));
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < times; ++i) {
    counted_put(job.primordial(), 0, place, i);
    sum += counted_get(job.primordial(), 0, place);
  }
  return sum == times * (times - 1) / 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
