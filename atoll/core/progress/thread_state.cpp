// SPDX-License-Identifier: BSD-3-Clause
//
// Implicit operations. Records are taken when the first operation that needs one is started, so a
// region of direct transfers ends with an empty event.
#include <atoll/core/progress/thread_state.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/threads/thread_end.hpp>
#include <atoll/core/progress/operation_group.hpp>

#include <algorithm>
#include <utility>

namespace atl {

constinit thread_local handler_context current_handler [[gnu::tls_model("initial-exec")]] =
    handler_context::outside;

operation_group* implicit_state::count_in(operation_group* group) noexcept {
  ATOLL_ASSERT(!in_region_, "an access region is open; end it before operations count elsewhere");
  return std::exchange(group_, group);
}

operation* implicit_state::record(implicit kind) noexcept {
  if (group_ != nullptr) return &group_->current();
  operation*& slot = in_region_ ? region_ : outside_[static_cast<std::size_t>(kind)];
  if (slot == nullptr) slot = pool_.take();
  ATOLL_ASSERT(slot != nullptr, "out of memory for an operation record");
  return slot;
}

bool implicit_state::complete(implicit kind) const noexcept {
  const operation* record = outside_[static_cast<std::size_t>(kind)];
  return record == nullptr || record->complete();
}

operation_status implicit_state::take_status(implicit kind) noexcept {
  operation* const record = outside_[static_cast<std::size_t>(kind)];
  return record == nullptr ? operation_status::done : record->take_status();
}

void implicit_state::begin_region() noexcept {
  ATOLL_ASSERT(!in_region_, "an access region is open already in this thread; regions do not nest");
  ATOLL_ASSERT(group_ == nullptr, "operations count in a group; a region would not hold them");
  in_region_ = true;
}

event implicit_state::end_region() noexcept {
  ATOLL_ASSERT(in_region_, "no access region is open in this thread");
  in_region_ = false;
  operation* const record = region_;
  region_ = nullptr;
  if (record != nullptr && record->complete() &&
      record->status.load(std::memory_order_relaxed) == operation_status::done) {
    pool_.give_back(record);
    return event();
  }
  return event(record);
}

bool implicit_state::is_idle() const noexcept {
  const auto complete = [](const operation* record) {
    return record == nullptr || record->complete();
  };
  return std::ranges::all_of(outside_, complete) && complete(region_);
}

void implicit_state::start_over() noexcept {
  for (operation* const record : outside_) {
    if (record != nullptr) record->take_status();
  }
  in_region_ = false;
  if (region_ != nullptr) pool_.give_back(region_);
  region_ = nullptr;
}

implicit_state& implicit_states::borrow() {
  const std::lock_guard hold(guard_);
  const auto idle = std::ranges::find_if(free_, &implicit_state::is_idle);
  if (idle != free_.end()) {
    implicit_state& found = **idle;
    *idle = free_.back();
    free_.pop_back();
    found.start_over();
    return found;
  }
  free_.reserve(made_.size() + 1);
  made_.push_back(std::make_unique<implicit_state>(pool_));
  return *made_.back();
}

void implicit_states::give_back(implicit_state& of_ended_thread) noexcept {
  const std::lock_guard hold(guard_);
  free_.push_back(&of_ended_thread);
}

std::size_t implicit_states::count() noexcept {
  const std::lock_guard hold(guard_);
  return made_.size();
}

namespace {

struct borrowed {
  std::uint64_t serial = 0;  // of the runtime; none has 0
  implicit_state* state = nullptr;
  std::weak_ptr<implicit_states> owner;
};

struct latest {
  std::uint64_t serial = 0;
  implicit_state* state = nullptr;
};

struct borrowed_states {
  latest last;  // the entry asked for last
  std::vector<borrowed> entries;

  borrowed_states() = default;
  borrowed_states(const borrowed_states&) = delete;
  borrowed_states& operator=(const borrowed_states&) = delete;
  ~borrowed_states() {
    for (const borrowed& each : entries)
      if (const auto owner = each.owner.lock()) owner->give_back(*each.state);
  }

  /// The entry of this runtime, made if need be. Entries of runtimes that have ended are removed.
  const borrowed& entry_for(std::uint64_t serial, const std::shared_ptr<implicit_states>& owner) {
    const auto found = std::ranges::find(entries, serial, &borrowed::serial);
    if (found != entries.end()) return *found;
    std::erase_if(entries, [](const borrowed& each) { return each.owner.expired(); });
    entries.reserve(entries.size() + 1);  // before anything is borrowed
    entries.push_back({serial, &owner->borrow(), owner});
    return entries.back();
  }
};

constinit thread_local borrowed_states* own_states [[gnu::tls_model("initial-exec")]] = nullptr;

}  // namespace

implicit_state& implicit_state_of_thread(std::uint64_t runtime_serial,
                                         const std::shared_ptr<implicit_states>& states) {
  if (own_states == nullptr) [[unlikely]]
    make_for_thread(own_states);
  if (own_states->last.serial != runtime_serial)
    own_states->last = {runtime_serial, own_states->entry_for(runtime_serial, states).state};
  return *own_states->last.state;
}

}  // namespace atl
