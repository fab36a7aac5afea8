// SPDX-License-Identifier: BSD-3-Clause
//
// A stopwatch in nanoseconds, and functions that keep the compiler from removing the measured work.
#pragma once

#include <chrono>

namespace bench {

class stopwatch {
 public:
  double elapsed_ns() const noexcept {
    return std::chrono::duration<double, std::nano>(clock::now() - start_).count();
  }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_ = clock::now();
};

/// Makes the compiler believe that all memory was read and written here: a loop of stores to the
/// same place stays a loop, a load is not taken out of one.
inline void touch_memory() noexcept { asm volatile("" ::: "memory"); }

/// Makes the compiler believe that the value is used.
template <class Value>
void keep(const Value& value) noexcept {
  asm volatile("" ::"r,m"(value) : "memory");
}

/// Times `operations` calls of `operation`.
template <class Operation>
double time_of(unsigned long operations, Operation operation) {
  const stopwatch watch;
  for (unsigned long i = 0; i < operations; ++i) operation();
  return watch.elapsed_ns();
}

}  // namespace bench
