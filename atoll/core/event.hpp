// SPDX-License-Identifier: BSD-3-Clause
//
// Completion of operations. An event is empty when its operation is complete. Every operation on
// directly mapped memory returns an empty one: no record, no allocation, no counter. Otherwise the
// event holds a record that counts the pieces still under way; the last piece to complete (a reply
// handler, on any thread) brings the count to zero, and the next test gives the record back to the
// pool.
//
// Threads: an event belongs to one holder at a time; completion may come from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace atl {

/// Pieces of an operation under way.
struct operation {
  std::atomic<std::uint32_t> pending = 0;
  operation* next_free = nullptr;

  void add_piece() noexcept { pending.fetch_add(1, std::memory_order_relaxed); }
  /// Release: a thread that sees the count sees what the piece wrote (pairs with `complete`).
  void end_piece() noexcept { pending.fetch_sub(1, std::memory_order_release); }
  bool complete() const noexcept { return pending.load(std::memory_order_acquire) == 0; }
};

/// The completion of one operation, or of an access region. Test and wait are the runtime's.
class event {
 public:
  event() = default;  // complete
  explicit event(operation* record) noexcept : record_(record) {}

  /// True once the operation is known to be complete (after a successful test or wait).
  bool empty() const noexcept { return record_ == nullptr; }
  operation* record() const noexcept { return record_; }
  operation* release() noexcept {
    operation* const held = record_;
    record_ = nullptr;
    return held;
  }

 private:
  operation* record_ = nullptr;
};

/// Records for reuse. Grows by chunks; taken only by operations that are not complete at once.
class operation_pool {
 public:
  /// A record with `pending` 0; null when memory is exhausted.
  operation* take() noexcept;
  void give_back(operation* record) noexcept;

 private:
  static constexpr std::size_t chunk_records = 256;

  std::mutex guard_;
  operation* free_ = nullptr;
  std::vector<std::unique_ptr<operation[]>> chunks_;
};

}  // namespace atl
