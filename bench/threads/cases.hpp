// SPDX-License-Identifier: BSD-3-Clause
//
// The cases of bench_threads, written once for every library: several threads of rank 0, each with
// a counterpart in rank 1, put and send at the same time. A row shows the time per operation of all
// threads together. Where the threads of a library do not hinder one another, this time falls as
// threads are added, as long as there are cores.
//
// Threads are started before the clock is, and the clock stops when the last has ended. A library
// has, for the calling thread of number `thread`, on both ranks of the pair,
//     acts(), is_target()
//     puts(thread, count)             8 bytes each, complete at the end
//     messages(thread, count)         8 bytes each, until the last has been answered
//     round_trips(thread, count)      a message and its answer
// puts() does something on rank 0 only. A library without messages lacks messages() and
// round_trips().
#pragma once

#include <bench/harness/stopwatch.hpp>
#include <bench/harness/suite.hpp>

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace bench {

inline constexpr unsigned threads_max = 64;
inline constexpr std::size_t thread_places = 64;  // of 8 bytes, of each thread
inline constexpr std::size_t thread_area_bytes = threads_max * thread_places * 8;

template <class Library>
class thread_cases {
 public:
  thread_cases(Library& library, unsigned threads) : library_(library), threads_(threads) {}

  void add_to(suite& to) {
    add(to, "put", 20'000, [this](unsigned thread, std::uint64_t count) {
      if (library_.acts()) library_.puts(thread, count);
    });
    if constexpr (requires { library_.messages(0u, std::uint64_t{1}); }) {
      add(to, "message", 200,
          [this](unsigned thread, std::uint64_t count) { library_.messages(thread, count); });
      add(to, "round_trip", 20,
          [this](unsigned thread, std::uint64_t count) { library_.round_trips(thread, count); });
    }
  }

 private:
  /// The time in which a thread worked.
  struct span {
    double begin_ns = 0;
    double end_ns = 0;
  };

  template <class Work>
  void add(suite& to, const std::string& operation, std::uint64_t least, Work work) {
    to.add({.name = operation + "_threads_" + std::to_string(threads_),
            .operations = 1'000,
            .operations_least = least,
            .operation = operation,
            .run = [this, work](std::uint64_t count) {
              if (!library_.acts() && !library_.is_target()) return 0.0;
              return together(count, work) / threads_;
            }});
  }

  template <class Work>
  double together(std::uint64_t count, Work work) {
    std::barrier start(threads_);
    const stopwatch watch;
    std::vector<span> spans(threads_);
    {
      std::vector<std::jthread> workers;
      for (unsigned thread = 0; thread < threads_; ++thread) {
        workers.emplace_back([&, thread] {
          start.arrive_and_wait();
          const double begin_ns = watch.elapsed_ns();
          work(thread, count);
          spans[thread] = {begin_ns, watch.elapsed_ns()};
        });
      }
    }
    return std::ranges::max(spans, {}, &span::end_ns).end_ns -
           std::ranges::min(spans, {}, &span::begin_ns).begin_ns;
  }

  Library& library_;
  unsigned threads_;
};

}  // namespace bench
