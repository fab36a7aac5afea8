// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for groups. The two records of a group take turns. A wait first waits for the record that
// was left behind by the last wait: an operation that began at that moment may still count in it.
#include <atoll/core/progress/operation_group.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>

namespace atl {

operation_group::~operation_group() {
  ATOLL_ASSERT(complete(), "a group of operations ends while some of them are under way");
}

operation_status operation_group::take_status() noexcept {
  return std::max(records_[0].take_status(), records_[1].take_status());
}

operation_status operation_group::wait() noexcept {
  // No mutex: a thread whose turn it is not yet makes progress, too. Acquire and release: the next
  // one sees which record grows.
  bool has_turn = false;
  owner_.wait_until([&] {
    if (complete()) return true;
    has_turn = !turning_.exchange(true, std::memory_order_acquire);
    return has_turn;
  });
  if (!has_turn) return take_status();
  const unsigned growing = current_.load(std::memory_order_relaxed);
  const auto wait_for = [&](const operation& record) {
    owner_.wait_until([&] { return record.complete(); });
  };
  wait_for(records_[1 - growing]);
  current_.store(1 - growing, std::memory_order_relaxed);
  wait_for(records_[growing]);
  turning_.store(false, std::memory_order_release);  // pairs with the exchange above
  return take_status();
}

bool operation_group::test() noexcept {
  if (complete()) return true;
  if (current_handler == handler_context::outside) owner_.progress();
  return complete();
}

bool operation_group::test(operation_status& status) noexcept {
  if (!test()) return false;
  status = take_status();
  return true;
}

counting_in::counting_in(runtime& owner, operation_group& group) noexcept
    : state_(layer_access::implicit_operations(owner)), outer_(state_.count_in(&group)) {}

counting_in::~counting_in() { state_.count_in(outer_); }

}  // namespace atl
