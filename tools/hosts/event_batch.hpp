// SPDX-License-Identifier: BSD-3-Clause
//
// Events of ranks on their way up the tree of daemons. Each part of the tree - the process that has
// the ranks of a host, and each daemon - holds the events of all ranks below it until all of them
// have done the same, and then sends them in one message. So the supervisor hears of a collective
// once per daemon that it has started itself, not once per rank.
//
// An event that not all ranks share is sent after a moment all the same, because the supervisor
// must know that a rank waits for one that never comes. The first exit code that is not 0 is sent
// at once: the first in time is the job's.
#pragma once

#include <atoll/base/rank.hpp>
#include <tools/run/rank_port.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <vector>

namespace atl::tools {

class event_batch {
 public:
  using clock = std::chrono::steady_clock;
  static constexpr auto hold_time = std::chrono::milliseconds(200);  // longest, in each part

  /// `ranks` is the number of ranks below.
  explicit event_batch(rank_id ranks) : ranks_(ranks) {}

  void add(rank_event event, clock::time_point now);

  /// A collective is complete. Counting begins again for the next one, whatever some ranks did
  /// alone before.
  void passed() { counts_[static_cast<std::size_t>(rank_event::kind::entered)] = 0; }

  /// From now on nothing is held: some ranks below are lost and will never be heard of.
  void stop_holding() { holds_ = false; }

  /// When the events must be sent; the far future when there are none.
  clock::time_point due_at() const { return due_at_; }

  /// The events in the order in which they came, in pieces that a message can carry.
  std::vector<std::vector<rank_event>> take();

 private:
  static constexpr std::size_t kinds = static_cast<std::size_t>(rank_event::kind::depends) + 1;

  rank_id ranks_;
  bool holds_ = true;
  bool has_code_ = false;                    // one that is not 0 has come
  std::array<std::size_t, kinds> counts_{};  // of all events so far, by kind
  std::vector<rank_event> events_;
  clock::time_point due_at_ = clock::time_point::max();
};

}  // namespace atl::tools
