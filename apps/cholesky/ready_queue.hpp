// SPDX-License-Identifier: BSD-3-Clause
//
// A queue of work whose tiles have arrived, by urgency: columns further left come first, since all
// columns to their right wait for them. One thread; it makes progress between two pieces of work.
#pragma once

#include <upcxx/upcxx.hpp>

#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace cholesky {

class ready_queue {
 public:
  using work = std::function<void()>;

  void push(std::size_t urgency, work next) {
    waiting_.push({urgency, number_++, std::move(next)});
    if (!is_asleep_) return;
    is_asleep_ = false;
    arrival_.finalize();
  }

  /// Becomes ready when the queue reaches this entry; its continuation is the work.
  upcxx::future<> turn(std::size_t urgency) {
    upcxx::promise<> reached;
    push(urgency, [reached]() mutable { reached.finalize(); });
    return reached.get_future();
  }

  /// Works until `is_done()`; sleeps in the library while there is nothing to do.
  template <class Predicate>
  void run_until(Predicate is_done) {
    while (!is_done()) {
      if (waiting_.empty()) {
        arrival_ = upcxx::promise<>();
        is_asleep_ = true;
        arrival_.get_future().wait();
      }
      const work next = waiting_.top().next;
      waiting_.pop();
      next();
      upcxx::progress();
    }
  }

 private:
  struct entry {
    std::size_t urgency;
    std::size_t number;  // among equally urgent ones the older first
    work next;
    bool operator<(const entry& other) const {
      return std::pair(urgency, number) > std::pair(other.urgency, other.number);
    }
  };

  std::priority_queue<entry> waiting_;
  std::size_t number_ = 0;
  bool is_asleep_ = false;
  upcxx::promise<> arrival_;
};

}  // namespace cholesky
