// SPDX-License-Identifier: BSD-3-Clause
//
// One trial: a collective of one size, called a number of times with one algorithm. All ranks meet
// at a barrier, make the calls and meet again, so the time lasts until all members are done, and a
// rank that runs ahead of the others gains nothing. A trial that is not blocking keeps a few calls
// under way at a time.
#pragma once

#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/job/runtime.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace atl::tune {

/// A collective, a size and a form of call: what an algorithm is chosen for.
struct point {
  coll::collective kind = coll::collective::broadcast;
  std::size_t bytes = 0;  // of one block; all of a reduction
  bool blocking = true;
};

/// "allreduce of 4 KiB, blocking".
std::string name_of(const point& measured);

class trials {
 public:
  /// Buffers for blocks of at most `bytes_max`, and for several calls if some will be in flight.
  /// Collective.
  trials(runtime& job, std::size_t bytes_max, bool several);

  /// The algorithms that can be used for a point, each with the radixes that differ there, eager
  /// and not. The first is the built-in choice.
  std::vector<coll::choice> candidates(const point& measured) const;

  /// `base` with one parameter more, for each value that makes a difference at the point.
  std::vector<coll::choice> variants(const point& measured, const coll::choice& base) const;

  /// The parameters that may change a call by `base`, which is given without any, at the point:
  /// "piece", "depth", "eager", "leaders".
  std::vector<std::string> parameters_that_count(const point& measured,
                                                 const coll::choice& base) const;

  /// The approximate size of a message, the eager limit, and the size of a piece; see the
  /// parameters of coll::choice.
  struct message_sizes {
    std::size_t message = 0, eager = 0, piece = 0;
  };
  message_sizes sizes_of(const point& measured, const coll::choice& tried) const;

  /// Nanoseconds per call, the same on all ranks. Collective.
  double time_ns(const point& measured, const coll::choice& tried, std::uint64_t calls);

  /// The value of rank 0, on all ranks.
  template <class T>
  T agree(T value) {
    coll::broadcast(job_.world(), 0, &value, &value, sizeof value);
    return value;
  }

  runtime& job() const noexcept { return job_; }

 private:
  static constexpr unsigned in_flight = 4;

  coll::call call_of(const point& measured) const;
  coll::arguments arguments_of(const point& measured, unsigned buffer) const;
  void call_blocking(const point& measured, const coll::choice& tried, std::uint64_t calls);
  void call_in_flight(const point& measured, const coll::choice& tried, std::uint64_t calls);

  runtime& job_;
  coll::engine& engine_;
  std::size_t buffer_bytes_;
  std::vector<std::byte> from_, to_;
  coll::reduction sum_;
};

}  // namespace atl::tune
