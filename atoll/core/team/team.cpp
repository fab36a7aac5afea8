// SPDX-License-Identifier: BSD-3-Clause
//
// Members, and barriers. Plain barriers under way form a queue: the oldest has arrived
// at the algorithm, the others wait for it, since an algorithm runs one epoch at a time. A blocking
// barrier with nothing under way uses the algorithm directly.
#include <atoll/core/team/team.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/threads/race_annotations.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/settings.hpp>

namespace atl {

namespace {

rank_id own_member(const rank_set& members, const runtime& owner) {
  const rank_id found = members.find(owner.rank());
  if (found != no_rank) return found;
  throw error(text("a team of ", members.size(), " ranks"),
              text("rank ", owner.rank(), " makes it and is not among them"),
              "make it on its members only");
}

}  // namespace

team::team(runtime& owner, team_options options)
    : owner_(owner),
      id_(options.id),
      members_(std::move(options.members)),
      rank_(own_member(members_, owner)),
      hosts_(members_, rank_, owner.hosts()) {}

team::~team() {
  if (layer_access::attachments(owner_).retire(*this)) layer_access::wake_own_threads(owner_);
}

void team::open(team_block* block) {
  block_ = block;
  plain_ = make_barrier(*this, barrier_use::plain);
  named_ = make_barrier(*this, barrier_use::named);
}

// A member that is lost stays lost, so only new losses are looked at. A thread that sees the count
// of another's look also sees what that found (release, acquire). Not inlined into barriers, which
// come here only when any rank is lost.
[[gnu::noinline]] bool team::has_lost_member() const noexcept {
  const std::size_t losses = layer_access::losses(owner_).count();
  if (losses == 0) [[likely]]
    return false;
  const bool has_looked = losses_seen_.load(std::memory_order_acquire) == losses;
  if (lost_member_.load(std::memory_order_relaxed)) return true;
  if (has_looked) return false;
  const bool lost = layer_access::losses(owner_).any(
      [this](rank_id rank) { return members_.find(rank) != no_rank; });
  if (lost) lost_member_.store(true, std::memory_order_relaxed);
  losses_seen_.store(losses, std::memory_order_release);
  return lost;
}

namespace {

/// Whether all have arrived already, or do so at this moment: where each rank has a core, they come
/// in less time than a poll for messages takes.
bool is_prompt(barrier& arrived, runtime& owner) noexcept {
  constexpr unsigned looks_max = 64;
  // So a loop of prompt barriers still serves messages. Several threads may count too few.
  constexpr unsigned barriers_until_poll = 16;
  static std::atomic<unsigned> barriers{0};
  const unsigned begun = barriers.load(std::memory_order_relaxed) + 1;
  barriers.store(begun, std::memory_order_relaxed);
  if (begun % barriers_until_poll == 0) owner.progress();
  if (arrived.test()) return true;
  if (owner.is_oversubscribed()) return false;
  for (unsigned looks = 1; looks < looks_max; ++looks) {
    if (arrived.test()) return true;
  }
  return false;
}

/// The usual barrier, which all members reach at about the same time. Functions that are not
/// inlined do the rest, since the stack that they need would cost as much as this barrier. The
/// counter is written while the others come.
bool arrives_promptly(barrier& plain, runtime& owner) noexcept {
  plain.arrive(barrier_tag::anonymous());
  trace::count(trace::counter::barriers);
  return is_prompt(plain, owner);
}

/// Waits until the barrier is complete; false when a member is lost meanwhile.
[[gnu::noinline]] bool wait_for_arrivals(const team& members, barrier& plain) {
  bool done = false;
  members.owner().wait_until([&] { return (done = plain.test()) || members.has_lost_member(); });
  return done;
}

/// The same, but returns nothing when `end` is wanted first.
[[gnu::noinline]] std::optional<bool> wait_for_arrivals_unless(const team& members, barrier& plain,
                                                               wait_end end) {
  bool done = false;
  bool is_lost = false;
  members.owner().wait_until([&] {
    return (done = plain.test()) || (is_lost = members.has_lost_member()) ||
           end.is_wanted(end.context);
  });
  return done || is_lost ? std::optional<bool>(done) : std::nullopt;
}

/// A barrier behind others that are under way.
[[gnu::noinline]] operation_status wait_for_turn(team& members) {
  event done = members.start_barrier();
  return members.owner().wait(done);
}

[[gnu::noinline]] std::optional<operation_status> wait_for_turn_unless(team& members,
                                                                       wait_end end) {
  event done = members.start_barrier();
  bool is_over = false;
  members.owner().wait_until(
      [&] { return done.record()->complete() || (is_over = end.is_wanted(end.context)); });
  if (done.record()->complete()) return members.owner().wait(done);
  (void)done.release();
  return std::nullopt;
}

operation_status status_of(bool done) noexcept {
  return done ? operation_status::done : operation_status::peer_lost;
}

}  // namespace

operation_status team::barrier() {
  ordered_before_other_ranks();
  if (busy()) [[unlikely]]
    return wait_for_turn(*this);
  if (layer_access::losses(owner_).count() != 0 && has_lost_member()) [[unlikely]]
    return operation_status::peer_lost;
  const bool done = arrives_promptly(*plain_, owner_) || wait_for_arrivals(*this, *plain_);
  ordered_after_other_ranks();
  return status_of(done);
}

std::optional<operation_status> team::barrier_unless(wait_end end) {
  if (busy()) [[unlikely]]
    return wait_for_turn_unless(*this, end);
  ordered_before_other_ranks();
  if (layer_access::losses(owner_).count() != 0 && has_lost_member()) [[unlikely]]
    return operation_status::peer_lost;
  if (!arrives_promptly(*plain_, owner_)) {
    const std::optional<bool> done = wait_for_arrivals_unless(*this, *plain_, end);
    if (!done.has_value()) {
      begin_plain(true);
      return std::nullopt;
    }
    if (!*done) return operation_status::peer_lost;
  }
  ordered_after_other_ranks();
  return operation_status::done;
}

event team::start_barrier() {
  ordered_before_other_ranks();
  trace::count(trace::counter::barriers);
  return event(begin_plain(false));
}

/// Puts a barrier into the queue; `has_arrived`: this rank has told the others, and none is under
/// way.
operation* team::begin_plain(bool has_arrived) {
  operation* const record = layer_access::operations(owner_).take();
  ATOLL_ASSERT(record != nullptr, "out of memory for an operation record");
  record->add_piece();
  record->next = nullptr;
  const std::lock_guard hold(guard_);
  if (oldest_ == nullptr) {
    oldest_ = record;
    if (!has_arrived && !has_lost_member()) plain_->arrive(barrier_tag::anonymous());
  } else {
    newest_->next = record;
  }
  newest_ = record;
  under_way_.fetch_add(1, std::memory_order_release);  // pairs with busy()
  layer_access::attachments(owner_).activate(*this);
  step();
  return record;
}

void team::use_barrier_radix(unsigned radix) noexcept {
  if (owner_.configuration().choice(setting::barrier_radix) != 0) return;
  plain_->use_radix(radix);
  named_->use_radix(radix);
}

bool team::step() noexcept {
  bool ended = false;
  while (oldest_ != nullptr) {
    const bool is_lost = has_lost_member();
    if (!is_lost && !plain_->test()) break;
    operation* const complete = oldest_;
    oldest_ = complete->next;
    under_way_.fetch_sub(1, std::memory_order_release);  // pairs with busy()
    complete->end_piece(is_lost ? operation_status::peer_lost : operation_status::done);
    ended = true;
    if (oldest_ != nullptr && !is_lost) plain_->arrive(barrier_tag::anonymous());
  }
  return ended;
}

bool team::step_named() noexcept {
  if (!named_open_) return false;
  named_broken_ = has_lost_member();
  if (!named_broken_ && !named_->test()) return false;
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
  ordered_before_other_ranks();
  trace::count(trace::counter::barriers);
  const std::lock_guard hold(guard_);
  under_way_.fetch_add(1, std::memory_order_release);  // pairs with busy()
  layer_access::attachments(owner_).activate(*this);
  named_open_ = true;
  if (!has_lost_member()) named_->arrive(tag);
}

// From here on progress moves it too: a rank that started the barrier and waits for something else
// must not hold up the rounds of the others.
bool team::test_named() noexcept {
  const std::lock_guard hold(guard_);
  step_named();
  // A thread that came to advance meanwhile was turned away; do its part.
  if (step() && owner_.threaded()) layer_access::wake_own_threads(owner_);
  ordered_after_other_ranks();
  return !named_open_;
}

}  // namespace atl
