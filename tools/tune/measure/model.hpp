// SPDX-License-Identifier: BSD-3-Clause
//
// A model of the cost of algorithms over messages, after LogGP. Its figures are measured before the
// first point, between two ranks, on two hosts where there are several: what a message costs its
// sender, how long a small one takes to arrive, and what a byte of a large one costs. The model
// only leaves out algorithms that are far behind others; it never chooses. It does not cover
// algorithms over shared memory: there are few, and the first rounds show their times.
#pragma once

#include <tools/tune/measure/trial.hpp>

#include <string>

namespace atl::tune {

class model {
 public:
  /// Measures the figures. Collective.
  explicit model(trials& measured);

  /// A model with known figures.
  model(trials& measured, double overhead_ns, double latency_ns, double byte_ns);

  /// About the time of one call, the same on all ranks; 0 for an algorithm that it does not cover.
  double predict_ns(const point& measured, const coll::choice& tried) const;

  double overhead_ns() const noexcept { return overhead_ns_; }  // of a message, at its sender
  double latency_ns() const noexcept { return latency_ns_; }    // of a small message
  double byte_ns() const noexcept { return byte_ns_; }          // of a large message

 private:
  double pieces_ns(const point& measured, const coll::choice& tried, double steps,
                   double work_ns) const;

  trials& trials_;
  rank_id members_;
  double overhead_ns_ = 0;
  double latency_ns_ = 0;
  double byte_ns_ = 0;
};

}  // namespace atl::tune
