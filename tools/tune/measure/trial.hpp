// SPDX-License-Identifier: BSD-3-Clause
//
// One trial: a collective of one size, called a number of times with one algorithm. All ranks meet
// at a barrier, make the calls and meet again, so the time lasts until all members are done, and a
// rank that runs ahead of the others gains nothing. A trial of overlapped calls keeps a few of them
// under way, and computes between their starts as a program does: what counts is the time of both
// together. Progress is made once in the middle of each computation.
#pragma once

#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/job/runtime.hpp>
#include <tools/tune/measure/points.hpp>
#include <tools/tune/measure/zeroed_memory.hpp>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace atl::tune {

class trials {
 public:
  using clock = std::chrono::steady_clock;

  /// Measures how fast this machine computes; trials after `end` say is_over(). Collective.
  trials(runtime& job, clock::time_point end);

  /// Takes memory for a point, of which only what its calls need is touched, and says how many
  /// nanoseconds of a core the program computes beside each overlapped call.
  void prepare(const point& measured, double compute_ns);

  /// The algorithms that can be used for a point, each with the radixes that differ there, eager
  /// and not. The first is the built-in choice.
  std::vector<coll::choice> candidates(const point& measured) const;

  /// `base` with one parameter more, for each value that makes a difference at the point.
  std::vector<coll::choice> variants(const point& measured, const coll::choice& base) const;

  /// The parameters that may change a call by `base`, which is given without any, at the point:
  /// "piece", "depth", "eager", "leaders", "by".
  std::vector<std::string> parameters_that_count(const point& measured,
                                                 const coll::choice& base) const;

  /// The approximate size of a message, the eager limit, and the size of a piece; see the
  /// parameters of coll::choice.
  struct message_sizes {
    std::size_t message = 0, eager = 0, piece = 0;
  };
  message_sizes sizes_of(const point& measured, const coll::choice& tried) const;

  /// Nanoseconds per call, the same on all ranks, as is_over() afterwards. Collective.
  double time_ns(const point& measured, const coll::choice& tried, std::uint64_t calls);

  /// The end had come when the last trial was over.
  bool is_over() const noexcept { return is_over_; }

  /// The value of rank 0, on all ranks.
  template <class T>
  T agree(T value) {
    coll::broadcast(job_.world(), 0, &value, &value, sizeof value);
    return value;
  }

  runtime& job() const noexcept { return job_; }

 private:
  void compute();
  coll::call call_of(const point& measured) const;
  coll::arguments arguments_of(const point& measured, unsigned place) const;
  void pass_barriers(const point& measured, std::uint64_t calls);
  void call_blocking(const point& measured, const coll::choice& tried, std::uint64_t calls);
  void call_overlapped(const point& measured, const coll::choice& tried, std::uint64_t calls);

  runtime& job_;
  coll::engine& engine_;
  clock::time_point end_;
  bool is_over_ = false;
  zeroed_memory from_, to_;
  double steps_per_ns_ = 0;       // of a computation
  std::uint64_t steps_ = 0;       // beside each overlapped call
  volatile double computed_ = 1;  // keeps the computation from being left out
};

}  // namespace atl::tune
