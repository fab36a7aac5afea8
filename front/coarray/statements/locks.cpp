// SPDX-License-Identifier: BSD-3-Clause
//
// Locks. The low half of a lock's word is the holder's job rank plus one, or 0 for a free lock. The
// highest bit says that some image waits; the holder then wakes the images. An image that has
// waited keeps the bit, because others may wait as well.
#include <front/coarray/statements/locks.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <front/coarray/failures/failed_images.hpp>

#include <atomic>

namespace atl::coarray {
namespace {

using word = std::uint64_t;
constexpr const char* lock_call = "LOCK";
constexpr const char* unlock_call = "UNLOCK";
constexpr word awaited = word{1} << 63;

/// The end of a wait for a lock: it is taken, either free or over from a failed image; or its
/// holder has stopped and never unlocks it; or the image that has the lock variable has failed.
enum class lock_end : unsigned char { waits, taken, taken_over, held_for_ever, lost };

class lock_word {
 public:
  lock_word(process_state& us, const remote_place& place) noexcept
      : us_(us), rank_(place.rank), address_(reinterpret_cast<word*>(place.address)) {}

  word own() const noexcept { return word{us_.runtime.rank()} + 1; }
  static word holder(word seen) noexcept { return seen & ~awaited; }

  word load() const noexcept { return apply(atomic_op::get, 0, 0); }
  /// Returns the previous value of the word.
  word replace(word expected, word next) const noexcept {
    return apply(atomic_op::fetch_cas, expected, next);
  }

  lock_end wait_and_take() const noexcept {
    lock_end end = lock_end::waits;
    us_.runtime.wait_until([&] { return (end = try_to_take()) != lock_end::waits; },
                           runtime::silent_sleep_ns);
    return end;
  }

  /// Takes a lock whose holder has failed.
  bool take_over(word seen) const noexcept {
    return is_held_by_failed(seen) && replace(seen, own() | awaited) == seen;
  }

  void release() const noexcept {
    if ((apply(atomic_op::swap, 0, 0) & awaited) == 0) return;
    const rank_id first = us_.runtime.neighbourhood_first();
    for (rank_id i = 0; i < us_.runtime.neighbourhood_count(); ++i) us_.runtime.wake(first + i);
  }

 private:
  // The word is read again once the image is known to have stopped: it may have unlocked before
  // that.
  bool is_held_for_ever() const noexcept {
    if (!layer_access::boot(us_.runtime).any_has_stopped()) [[likely]]
      return false;
    const word first = holder(load());
    return first != 0 && us_.runtime.stopped(static_cast<rank_id>(first - 1)) &&
           holder(load()) == first;
  }

  bool is_held_by_failed(word seen) const noexcept {
    return holder(seen) != 0 && has_failed(us_, static_cast<rank_id>(holder(seen) - 1));
  }

  lock_end try_to_take() const noexcept {
    if (take_or_announce()) return lock_end::taken;
    if (any_has_failed(us_)) {
      if (has_failed(us_, rank_)) return lock_end::lost;
      if (take_over(load())) return lock_end::taken_over;
    }
    return is_held_for_ever() ? lock_end::held_for_ever : lock_end::waits;
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

  process_state& us_;
  rank_id rank_;
  word* address_;
};

/// ACQUIRED_LOCK=: takes the lock or does not, without waiting.
lock_end take_at_once(process_state& us, const lock_word& chosen, word seen) noexcept {
  us.answer_others();
  if (seen == 0) return lock_end::taken;
  if (!any_has_failed(us)) [[likely]]
    return lock_end::waits;
  return chosen.take_over(seen) ? lock_end::taken_over : lock_end::waits;
}

void tell_end(process_state& us, const remote_place& place, lock_end end,
              const status_variables& status) noexcept {
  if (has_failed(us, place.rank)) return tell_failed_rank(us, status, lock_call, place.rank);
  if (end == lock_end::taken_over) {
    status.fail(statement_error::unlocked_failed_image, lock_call,
                "the image that held the lock has failed",
                "see to the data that the lock protects, and give the statement STAT=");
    return;
  }
  if (end != lock_end::held_for_ever) return status.succeed();
  status.fail(statement_error::stopped_image, lock_call,
              "the image that holds the lock has stopped",
              "unlock it before the image stops, or give the statement STAT=");
}

}  // namespace

void lock(const remote_place& place, int* acquired, const status_variables& status) noexcept {
  process_state& us = running();
  note_status(us, status);
  us.writes.wait();
  if (status.stat != nullptr) us.answer_others();
  const lock_word chosen(us, place);
  const word seen = chosen.replace(0, chosen.own());
  if (lock_word::holder(seen) == chosen.own() && !has_failed(us, place.rank)) {
    status.fail(statement_error::locked, lock_call, "this image holds the lock already",
                "unlock it before it is locked again");
    return;
  }
  lock_end end = lock_end::taken;
  if (acquired != nullptr) {
    end = take_at_once(us, chosen, seen);
    *acquired = end == lock_end::waits || has_failed(us, place.rank) ? 0 : 1;
    check_patience(us, lock_call);
  } else if (seen != 0) {
    end = chosen.wait_and_take();
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
  tell_end(us, place, end, status);
}

void unlock(const remote_place& place, const status_variables& status) noexcept {
  process_state& us = running();
  note_status(us, status);
  us.writes.wait();
  if (status.stat != nullptr) us.answer_others();
  const lock_word chosen(us, place);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const word seen = lock_word::holder(chosen.load());
  if (has_failed(us, place.rank)) return tell_failed_rank(us, status, unlock_call, place.rank);
  if (seen == chosen.own()) {
    chosen.release();
    status.succeed();
  } else if (seen == 0) {
    status.fail(statement_error::unlocked, unlock_call, "the lock is not locked",
                "lock it before it is unlocked");
  } else {
    status.fail(statement_error::locked_other_image, unlock_call,
                text("job rank ", seen - 1, " holds the lock"),
                "let the image that has locked it unlock it");
  }
}

}  // namespace atl::coarray
