// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers of the team of all ranks. Plain barriers under way form a queue: the oldest has arrived
// at the algorithm, the others wait for it, since an algorithm runs one epoch at a time. A blocking
// barrier with nothing under way uses the algorithm directly.
#include <atoll/core/team.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/core/runtime.hpp>

namespace atl {

team::team(runtime& owner)
    : owner_(owner),
      rank_(owner.rank()),
      size_(owner.size()),
      plain_(make_barrier(owner, barrier_use::plain)),
      named_(make_barrier(owner, barrier_use::named)) {}

team::~team() = default;

void team::barrier() {
  if (busy()) {
    event done = start_barrier();
    owner_.wait(done);
    return;
  }
  trace::count(trace::counter::barriers);
  plain_->arrive(barrier_tag::anonymous());
  owner_.wait_until([this] { return plain_->test(); });
}

event team::start_barrier() {
  operation* const record = owner_.operations().take();
  ATOLL_ASSERT(record != nullptr, "out of memory for an operation record");
  trace::count(trace::counter::barriers);
  record->add_piece();
  record->next_free = nullptr;
  const std::lock_guard hold(guard_);
  if (oldest_ == nullptr) {
    oldest_ = record;
    plain_->arrive(barrier_tag::anonymous());
  } else {
    newest_->next_free = record;
  }
  newest_ = record;
  under_way_.fetch_add(1, std::memory_order_relaxed);
  step();
  return event(record);
}

void team::step() noexcept {
  while (oldest_ != nullptr && plain_->test()) {
    operation* const complete = oldest_;
    oldest_ = complete->next_free;
    under_way_.fetch_sub(1, std::memory_order_relaxed);
    complete->end_piece();
    if (oldest_ != nullptr) plain_->arrive(barrier_tag::anonymous());
  }
}

void team::advance() noexcept {
  const std::unique_lock hold(guard_, std::try_to_lock);
  if (hold) step();
}

void team::arrive_named(barrier_tag tag) noexcept {
  trace::count(trace::counter::barriers);
  named_->arrive(tag);
}

bool team::test_named() noexcept { return named_->test(); }

}  // namespace atl
