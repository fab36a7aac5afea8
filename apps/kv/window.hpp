// SPDX-License-Identifier: BSD-3-Clause
//
// Limits the operations under way to `limit`. Each takes memory here and at its target, so a loop
// over millions of keys needs a bound, and a bound of a few dozen hides all of the latency.
#pragma once

#include <upcxx/upcxx.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace kv {

class window {
 public:
  explicit window(std::size_t limit) : under_way_(limit, upcxx::make_future()) {}

  /// Waits for the oldest when `limit` are under way.
  void add(upcxx::future<> operation) {
    under_way_[next_].wait();
    under_way_[next_] = std::move(operation);
    next_ = (next_ + 1) % under_way_.size();
  }
  /// Waits for all.
  void drain() {
    for (const upcxx::future<>& each : under_way_) each.wait();
  }

 private:
  std::vector<upcxx::future<>> under_way_;
  std::size_t next_ = 0;  // the oldest one's place
};

}  // namespace kv
