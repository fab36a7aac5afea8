// SPDX-License-Identifier: BSD-3-Clause
//
// The word of a lock: the holder's job rank and one in the low half, 0 for a free lock; the highest
// bit says that somebody waits, whom the holder then wakes. An image that has waited keeps the bit,
// because others may wait as well.
#include <front/coarray/locks.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/atomic/atomic.hpp>

#include <atomic>

namespace atl::coarray {
namespace {

using word = std::uint64_t;
constexpr word awaited = word{1} << 63;

class lock_word {
 public:
  lock_word(process& us, const remote_place& place) noexcept
      : us_(us), rank_(place.rank), address_(reinterpret_cast<word*>(place.address)) {}

  word own() const noexcept { return word{us_.runtime.rank()} + 1; }
  static word holder(word seen) noexcept { return seen & ~awaited; }

  word load() const noexcept { return apply(atomic_op::get, 0, 0); }
  /// Returns what the word was.
  word replace(word expected, word next) const noexcept {
    return apply(atomic_op::fetch_cas, expected, next);
  }

  /// False: the image that holds it has stopped, and never unlocks it.
  bool wait_and_take() const noexcept {
    bool is_taken = false;
    us_.runtime.wait_until([&] { return (is_taken = take_or_announce()) || is_held_for_ever(); },
                           runtime::silent_sleep_ns);
    return is_taken;
  }

  void release() const noexcept {
    if ((apply(atomic_op::swap, 0, 0) & awaited) == 0) return;
    const rank_id first = us_.runtime.neighbourhood_first();
    for (rank_id i = 0; i < us_.runtime.neighbourhood_count(); ++i) us_.runtime.wake(first + i);
  }

 private:
  // The word is read once more when the image is known to have stopped: it may have unlocked first.
  bool is_held_for_ever() const noexcept {
    if (!us_.runtime.boot().any_has_stopped()) [[likely]]
      return false;
    const word first = holder(load());
    return first != 0 && us_.runtime.stopped(static_cast<rank_id>(first - 1)) &&
           holder(load()) == first;
  }

  bool take_or_announce() const noexcept {
    const word seen = load();
    if (seen == 0) return replace(0, own() | awaited) == 0;
    if ((seen & awaited) == 0) replace(seen, seen | awaited);
    return false;
  }

  word apply(atomic_op op, word operand, word operand2) const noexcept {
    return atomic<word>(us_.heaps, rank_, address_,
                        {.op = op, .operand = operand, .operand2 = operand2},
                        {.acquire = true, .release = true});
  }

  process& us_;
  rank_id rank_;
  word* address_;
};

}  // namespace

void lock(const remote_place& place, int* acquired, const status_variables& told) noexcept {
  static constexpr const char* call = "LOCK";
  process& us = running();
  us.writes.wait();
  const lock_word chosen(us, place);
  const word seen = chosen.replace(0, chosen.own());
  if (lock_word::holder(seen) == chosen.own()) {
    told.fail(failure::locked, call, "this image holds the lock already",
              "unlock it before it is locked again");
    return;
  }
  if (acquired != nullptr) {
    *acquired = seen == 0 ? 1 : 0;
  } else if (seen != 0 && !chosen.wait_and_take()) {
    told.fail(failure::stopped_image, call, "the image that holds the lock has stopped",
              "unlock it before the image stops, or give the statement STAT=");
    return;
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  told.succeed();
}

void unlock(const remote_place& place, const status_variables& told) noexcept {
  static constexpr const char* call = "UNLOCK";
  process& us = running();
  us.writes.wait();
  const lock_word chosen(us, place);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const word seen = lock_word::holder(chosen.load());
  if (seen == chosen.own()) {
    chosen.release();
    told.succeed();
  } else if (seen == 0) {
    told.fail(failure::unlocked, call, "the lock is not locked", "lock it before it is unlocked");
  } else {
    told.fail(failure::locked_other_image, call, text("job rank ", seen - 1, " holds the lock"),
              "let the image that has locked it unlock it");
  }
}

}  // namespace atl::coarray
