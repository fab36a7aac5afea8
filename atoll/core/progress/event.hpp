// SPDX-License-Identifier: BSD-3-Clause
//
// Completion of operations. An event is empty when its operation is complete. Every operation on
// directly mapped memory returns an empty one: no record, no allocation, no counter. Otherwise the
// event holds a record that counts the pieces still under way; the last piece to complete (a reply
// handler, on any thread) brings the count to zero, and the next test gives the record back to the
// pool. Instead of being tested, a record can be given a continuation, which progress runs.
//
// An operation ends with a status, which its waiter or its continuation receives.
//
// Threads: an event belongs to one holder at a time; completion may come from any thread.
#pragma once

#include <atoll/base/rank.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace atl {

/// How an operation has ended; with peer_lost if one of its pieces has. An operation that finds no
/// room is refused before it starts, and none is cancelled: a network may still write its data.
enum class operation_status : std::uint8_t { done, peer_lost };

/// Called once, by a thread in progress, outside of handlers. It may make progress and wait;
/// continuations of several operations may run on several threads at once.
struct continuation {
  void (*run)(void* context, operation_status status) noexcept = nullptr;
  void* context = nullptr;
};

/// Called once for each rank that is lost, by a thread in progress.
struct peer_lost_handler {
  void (*run)(void* context, rank_id peer, std::string_view cause) noexcept = nullptr;
  void* context = nullptr;
};

class continuation_list;

/// Pieces of an operation under way.
struct operation {
  /// The pieces that have not ended; beside them, whether a continuation waits for the last.
  std::atomic<std::uint32_t> pending = 0;
  std::atomic<operation_status> status = operation_status::done;
  operation* next = nullptr;  // in the list that it is in
  continuation then;          // written before `continued` is set
  continuation_list* list = nullptr;

  static constexpr std::uint32_t continued = std::uint32_t{1} << 31;

  void add_piece() noexcept { pending.fetch_add(1, std::memory_order_relaxed); }
  /// Release: a thread that sees the count sees what the piece wrote (pairs with `complete`).
  /// Acquire: the last piece sees the continuation, and what the others wrote.
  void end_piece() noexcept {
    if (pending.fetch_sub(1, std::memory_order_acq_rel) == continued + 1) [[unlikely]]
      start_continuation();
  }
  void end_piece(operation_status ended) noexcept {
    // Relaxed: the count of pieces publishes it.
    if (ended != operation_status::done) status.store(ended, std::memory_order_relaxed);
    end_piece();
  }
  bool complete() const noexcept {
    return (pending.load(std::memory_order_acquire) & ~continued) == 0;
  }
  /// The status of all pieces that have ended since the last call, which must be all of them.
  operation_status take_status() noexcept {
    if (status.load(std::memory_order_relaxed) == operation_status::done) [[likely]]
      return operation_status::done;
    return status.exchange(operation_status::done, std::memory_order_relaxed);
  }

 private:
  void start_continuation() noexcept;
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
