// SPDX-License-Identifier: BSD-3-Clause
//
// Locks as queues (Mellor-Crummey and Scott, 1991), in the program's own `long`: no allocation, and
// as many locks as there are variables. The low half of the lock at its home PE is the end of the
// queue. The high half of every PE's copy is that PE's place in the queue: which PE comes after it,
// and whether it still waits. PEs count from 1 there, so that 0 is a free lock. Each PE waits at
// its own copy, and a lock goes from holder to holder by one atomic.
//
// The home is chosen by the lock's offset, so that many locks have many homes. A lock belongs to a
// PE, not to a thread.
#include <front/shmem/amo.hpp>
#include <front/shmem/waiting.hpp>

#include <atoll/base/text.hpp>

#include <mutex>

namespace atl::shmem {
namespace {

constexpr std::uint32_t waiting_bit = std::uint32_t{1} << 31;

class lock_queue {
 public:
  lock_queue(const char* call, long* lock) noexcept
      : call_(call), us_(running(call)), halves_(reinterpret_cast<std::uint32_t*>(lock)) {
    const symmetric_offset found = offset_of(us_, lock);
    if (found.memory == nullptr) refuse_address(call, lock, sizeof *lock);
    self_ = us_.runtime.rank();
    home_ = static_cast<int>(found.offset / sizeof *lock % us_.runtime.size());
  }

  void take() noexcept {
    store_own(waiting_bit);
    const std::uint32_t previous = apply(tail(), home_, atomic_op::swap, self_ + 1);
    if (previous != 0) {
      apply(own(), static_cast<int>(previous) - 1, atomic_op::bit_or, self_ + 1);
      wait_for(us_, [this] { return (load(own()) & waiting_bit) == 0; });
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    note_taken();
  }

  // The own half is not written: this PE may hold the lock or wait for it in another thread, and
  // the next PE in the queue writes its number there.
  bool try_take() noexcept {
    const bool was_free = apply(tail(), home_, atomic_op::fetch_cas, 0, self_ + 1) == 0;
    std::atomic_thread_fence(std::memory_order_acquire);
    if (was_free) note_taken();
    return after_test(us_, was_free);
  }

  // Must be called by the holder. A PE that does not hold the lock cannot tell whether the next PE
  // is about to write itself into its half, and waits for ever; checked calls end the job instead.
  void release() noexcept {
    note_cleared();
    quiet(context_of(call_, SHMEM_CTX_DEFAULT));
    std::uint32_t next = load(own()) & ~waiting_bit;
    if (next == 0) {
      const std::uint32_t last = apply(tail(), home_, atomic_op::fetch_cas, self_ + 1, 0);
      if (last == 0) refuse_clearing("is not set");
      if (last == self_ + 1) {
        store_own(0);
        return;
      }
      wait_for(us_, [&] { return (next = load(own()) & ~waiting_bit) != 0; });
    }
    store_own(0);
    apply(own(), static_cast<int>(next) - 1, atomic_op::bit_and, ~waiting_bit);
  }

 private:
  [[noreturn]] void refuse_clearing(const char* state) const noexcept {
    refuse(call_, text("the lock at ", hex(reinterpret_cast<std::uintptr_t>(halves_)), " ", state),
           "clear a lock that this PE has set, once");
  }

  // The locks of this PE, where calls are checked.
  void note_taken() const noexcept {
    if (!us_.checks_calls) return;
    const std::lock_guard hold(us_.checking_locks);
    us_.own_locks.insert(halves_);
  }
  void note_cleared() const noexcept {
    if (!us_.checks_calls) return;
    const std::lock_guard hold(us_.checking_locks);
    if (us_.own_locks.erase(halves_) == 0) refuse_clearing("is not set by this PE");
  }

  std::uint32_t* tail() const noexcept { return halves_; }
  std::uint32_t* own() const noexcept { return halves_ + 1; }

  std::uint32_t apply(std::uint32_t* half, int pe, atomic_op op, std::uint32_t operand,
                      std::uint32_t operand2 = 0) const noexcept {
    return amo(call_, SHMEM_CTX_DEFAULT, half, pe, op, operand, operand2);
  }

  // Called before the end of the queue names this PE, and after it names another: no other PE
  // writes this half then. Release: orders earlier accesses before the store.
  void store_own(std::uint32_t value) const noexcept {
    __atomic_store_n(own(), value, __ATOMIC_RELEASE);
  }

  const char* call_;
  process_state& us_;
  std::uint32_t* halves_;
  std::uint32_t self_;
  int home_;
};

}  // namespace
}  // namespace atl::shmem

using namespace atl::shmem;

ATOLL_SHMEM_ENTRY(void, set_lock, (long* lock), lock_queue("shmem_set_lock", lock).take())
ATOLL_SHMEM_ENTRY(void, clear_lock, (long* lock), lock_queue("shmem_clear_lock", lock).release())
ATOLL_SHMEM_ENTRY(int, test_lock, (long* lock),
                  return lock_queue("shmem_test_lock", lock).try_take() ? 0 : 1)
