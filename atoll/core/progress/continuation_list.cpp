// SPDX-License-Identifier: BSD-3-Clause
//
// Attaches continuations and runs them. A record gets its continuation while its last piece may
// just be ending on another thread. One atomic number decides between the two: attach() sets a bit
// in the count of pieces and sees whether any were left; the end of a piece sees the bit when it
// takes the last one away.
#include <atoll/core/progress/continuation_list.hpp>

#include <atoll/base/threads/race_annotations.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>

namespace atl {

void operation::start_continuation() noexcept { list->push(*this); }

bool continuation_list::attach(event& done, continuation then) noexcept {
  if (done.empty()) return false;
  operation& record = *done.record();
  record.then = then;
  record.list = this;
  // Release: the last piece reads the continuation after its own operation on the count. Acquire:
  // if no piece is left, what the pieces wrote is visible here.
  const std::uint32_t left =
      record.pending.fetch_or(operation::continued, std::memory_order_acq_rel);
  done.release();
  if (left != 0) return true;
  ordered_after_other_ranks();
  if (record.status.load(std::memory_order_relaxed) != operation_status::done) {
    push(record);
    return true;
  }
  layer_access::operations(owner_).give_back(&record);
  return false;
}

void continuation_list::push(operation& complete) noexcept {
  complete.next = due_.load(std::memory_order_relaxed);
  // Release: pairs with the exchange in run().
  while (!due_.compare_exchange_weak(complete.next, &complete, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
  layer_access::attachments(owner_).activate(*this);
  layer_access::wake_own_threads(owner_);  // one of them is to run it
}

bool continuation_list::run() noexcept {
  if (!busy()) return false;
  operation* newest = due_.exchange(nullptr, std::memory_order_acquire);
  if (newest == nullptr) return false;
  ordered_after_other_ranks();
  operation* oldest = nullptr;  // they run in the order in which the operations ended
  while (newest != nullptr) {
    operation* const next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  while (oldest != nullptr) {
    operation& ended = *oldest;
    oldest = ended.next;
    const continuation then = ended.then;
    const operation_status status = ended.status.load(std::memory_order_relaxed);
    layer_access::operations(owner_).give_back(&ended);
    then.run(then.context, status);
  }
  return true;
}

}  // namespace atl
