// SPDX-License-Identifier: BSD-3-Clause
//
// Counts of the shared accesses of a thread, where UPC_STATS asks for them (upcrun -stats): reads
// and writes by the distance of their object, accesses that lines of other hosts' memory have
// saved, and the time in barriers, locks and collective functions. Inline code then leaves all
// accesses to the library, so that each one is counted; those through private pointers, and runs of
// elements that loops reach by one, are not counted.
//
// Each thread leaves its numbers in shared memory before the last barrier. Thread 0 then reads all
// and writes a table with the sum, the smallest and the largest of a thread.
//
// Threads: those of the program that may access shared memory; one at a time.
#pragma once

#include <atoll_upc/pointer.h>
#include <atoll/base/clock.hpp>
#include <atoll/base/rank.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace atl::upc {

struct process_state;

enum class statistic : std::uint8_t {
  own_reads,
  own_bytes_read,
  near_reads,
  near_bytes_read,
  far_reads,
  far_bytes_read,
  own_writes,
  own_bytes_written,
  near_writes,
  near_bytes_written,
  far_writes,
  far_bytes_written,
  lines_fetched,
  reads_of_lines,
  barriers,
  barrier_ns,
  locks,
  lock_ns,
  collectives,
  collective_ns,
  count
};
inline constexpr std::size_t statistic_count = static_cast<std::size_t>(statistic::count);
using statistic_values = std::array<std::uint64_t, statistic_count>;

class statistics {
 public:
  explicit statistics(process_state& us) noexcept : us_(us) {}

  void add(statistic which, std::uint64_t amount = 1) noexcept {
    values_[static_cast<std::size_t>(which)] += amount;
  }
  void add_read(rank_id thread, std::size_t bytes) noexcept;
  void add_write(rank_id thread, std::size_t bytes) noexcept;

  /// publish() leaves the numbers where others read them; when all threads have done so, thread 0
  /// writes the table by report(). Both before the memory of any thread is unmapped.
  void publish() noexcept;
  void report() noexcept;

 private:
  [[nodiscard]] unsigned distance_to(rank_id thread) const noexcept;  // 0: own, 1: near, 2: far

  process_state& us_;
  statistic_values values_{};
};

/// Whether UPC_STATS asks for the table.
bool statistics_are_wanted() noexcept;

/// The table: a line for each number that is not 0 on all threads.
std::string table_of(std::span<const statistic_values> by_thread);

/// Counts an event and the time until its end, unless nothing is counted.
class timed_event {
 public:
  timed_event(statistics* counted, statistic events, statistic time) noexcept
      : counted_(counted), time_(time), start_(counted != nullptr ? now_ns() : 0) {
    if (counted_ != nullptr) counted_->add(events);
  }
  timed_event(const timed_event&) = delete;
  timed_event& operator=(const timed_event&) = delete;
  ~timed_event() {
    if (counted_ != nullptr) counted_->add(time_, static_cast<std::uint64_t>(now_ns() - start_));
  }

 private:
  statistics* counted_;
  statistic time_;
  std::int64_t start_;
};

}  // namespace atl::upc
