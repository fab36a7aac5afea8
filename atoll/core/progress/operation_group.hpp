// SPDX-License-Identifier: BSD-3-Clause
//
// Implicit operations that belong to an object of the program instead of to the thread that started
// them: a communication context of OpenSHMEM, an image's segment between two image controls. Fronts
// name the group in each call that they start. A program in C++ opens a `counting_in` scope: what
// the thread then starts implicitly (put_nbi, get_nbi, atomic_nbi, the strided forms) counts in the
// group of the scope.
//
// Any thread may wait for a group while others go on starting operations in it, so a group has two
// records. A wait turns new operations to the other record and waits for the one that no longer
// grows; otherwise a busy program could keep a waiter waiting for ever.
//
// Threads: any, in mode `any`. A direct transfer is complete at once and never comes here.
#pragma once

#include <atoll/core/progress/event.hpp>

#include <array>
#include <atomic>

namespace atl {

class implicit_state;
class runtime;

class operation_group {
 public:
  explicit operation_group(runtime& owner) noexcept : owner_(owner) {}
  operation_group(const operation_group&) = delete;
  operation_group& operator=(const operation_group&) = delete;
  /// No operation of the group may be under way.
  ~operation_group();

  /// Waits, with progress, until all that any thread started here before the call is complete;
  /// peer_lost if one that has ended since the last wait has lost its peer.
  operation_status wait() noexcept;

  /// Whether nothing that was started here is under way.
  bool complete() const noexcept { return records_[0].complete() && records_[1].complete(); }

  /// The same; makes progress once if something is.
  bool test() noexcept;

  /// The same without a wait, with the status that wait() would give where that is so. Operations
  /// that other threads start meanwhile are not waited for.
  bool test(operation_status& status) noexcept;

  /// The record in which an operation that starts now counts its pieces.
  operation& current() noexcept {
    // Relaxed: an operation that starts while another thread waits may count in either record.
    return records_[current_.load(std::memory_order_relaxed)];
  }

 private:
  operation_status take_status() noexcept;

  runtime& owner_;
  std::array<operation, 2> records_;
  std::atomic<unsigned> current_ = 0;
  std::atomic<bool> turning_ = false;  // a thread waits and turns the records; one at a time
};

/// Has the calling thread's implicit operations count in a group, for the length of a scope; scopes
/// nest. No access region may be open in the thread.
class counting_in {
 public:
  counting_in(runtime& owner, operation_group& group) noexcept;
  counting_in(const counting_in&) = delete;
  counting_in& operator=(const counting_in&) = delete;
  ~counting_in();

 private:
  implicit_state& state_;
  operation_group* outer_;
};

}  // namespace atl
