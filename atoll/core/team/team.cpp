// SPDX-License-Identifier: BSD-3-Clause
//
// Members, and barriers. Plain barriers under way form a queue: the oldest has arrived
// at the algorithm, the others wait for it, since an algorithm runs one epoch at a time. A blocking
// barrier with nothing under way uses the algorithm directly.
#include <atoll/core/team/team.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/race_annotations.hpp>
#include <atoll/core/job/runtime.hpp>

namespace atl {

team::team(runtime& owner, team_options options)
    : owner_(owner),
      id_(options.id),
      members_(std::move(options.members)),
      rank_(members_.find(owner.rank())),
      hosts_(members_, rank_, owner.hosts()) {}

team::~team() {
  if (owner_.attachments().retire(*this)) owner_.wake_own_threads();
}

void team::open(team_block* block) {
  block_ = block;
  plain_ = make_barrier(*this, barrier_use::plain);
  named_ = make_barrier(*this, barrier_use::named);
}

void team::barrier() {
  ordered_before(&owner_);
  if (busy()) {
    event done = start_barrier();
    owner_.wait(done);
    return;
  }
  trace::count(trace::counter::barriers);
  plain_->arrive(barrier_tag::anonymous());
  owner_.wait_until([this] { return plain_->test(); });
  ordered_after(&owner_);
}

event team::start_barrier() {
  ordered_before(&owner_);
  operation* const record = owner_.operations().take();
  ATOLL_ASSERT(record != nullptr, "out of memory for an operation record");
  trace::count(trace::counter::barriers);
  record->add_piece();
  record->next = nullptr;
  const std::lock_guard hold(guard_);
  if (oldest_ == nullptr) {
    oldest_ = record;
    plain_->arrive(barrier_tag::anonymous());
  } else {
    newest_->next = record;
  }
  newest_ = record;
  under_way_.fetch_add(1, std::memory_order_release);
  owner_.attachments().activate(*this);
  step();
  return event(record);
}

bool team::step() noexcept {
  bool ended = false;
  while (oldest_ != nullptr && plain_->test()) {
    operation* const complete = oldest_;
    oldest_ = complete->next;
    under_way_.fetch_sub(1, std::memory_order_release);  // pairs with busy()
    complete->end_piece();
    ended = true;
    if (oldest_ != nullptr) plain_->arrive(barrier_tag::anonymous());
  }
  return ended;
}

bool team::step_named() noexcept {
  if (!named_open_ || !named_->test()) return false;
  named_open_ = false;
  under_way_.fetch_sub(1, std::memory_order_release);  // pairs with busy()
  return true;
}

bool team::advance() noexcept {
  const std::unique_lock hold(guard_, std::try_to_lock);
  if (!hold) return false;
  const bool named_ended = step_named();
  return step() || named_ended;
}

void team::arrive_named(barrier_tag tag) noexcept {
  ordered_before(&owner_);
  trace::count(trace::counter::barriers);
  const std::lock_guard hold(guard_);
  under_way_.fetch_add(1, std::memory_order_release);
  owner_.attachments().activate(*this);
  named_open_ = true;
  named_->arrive(tag);
}

// From here on progress moves it too: a rank that started the barrier and waits for something else
// must not hold up the rounds of the others.
bool team::test_named() noexcept {
  const std::lock_guard hold(guard_);
  step_named();
  // A thread that came to advance meanwhile was turned away; do its part.
  if (step() && owner_.threaded()) owner_.wake_own_threads();
  ordered_after(&owner_);
  return !named_open_;
}

}  // namespace atl
