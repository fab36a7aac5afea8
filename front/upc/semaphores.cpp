// SPDX-License-Identifier: BSD-3-Clause
//
// Berkeley UPC's semaphores. A semaphore is a word in the memory of the thread that allocates it,
// in a block of 64 bytes of its own. The word is at the block's begin where it counts, and in its
// middle where it is only 0 or 1, so that the pointer alone tells the two apart. A thread that
// posts wakes the owner, which sleeps in a wait for its own semaphore; a thread that waits for
// another thread's semaphore polls it.
#include <bupc_extensions.h>

#include <atoll_upc/access.h>
#include <atoll_upc/control.h>
#include <atoll/base/text.hpp>
#include <front/upc/allocation.hpp>
#include <front/upc/process_state.hpp>

#include <atomic>

using namespace atl;
using namespace atl::upc;

namespace {

constexpr std::size_t block_bytes = 64, boolean_place = block_bytes / 2;

bool is_boolean(atoll_upc_pointer s) noexcept { return s.offset % block_bytes == boolean_place; }

process_state& need(const char* call, atoll_upc_pointer s) {
  process_state& us = running(call);
  if (s.offset == 0 || s.thread >= us.size() || s.offset % boolean_place != 0) {
    refuse(call, text("the semaphore is ", text_of(s), source_place()),
           "use a semaphore that bupc_sem_alloc has returned");
  }
  return us;
}

void need_number(const char* call, atoll_upc_pointer s) {
  if (!is_boolean(s)) return;
  refuse(call, text("the semaphore is only 0 or 1", source_place()),
         "allocate it with BUPC_SEM_INTEGER");
}

// The value is changed after all earlier accesses, and later ones come after the change.
void post(const char* call, atoll_upc_pointer s, std::uint64_t n) {
  process_state& us = need(call, s);
  atoll_upc_fence();
  us.atomic_at(s.thread, s.offset, is_boolean(s) ? atomic_op::set : atomic_op::fetch_add, n);
  us.wake(s.thread);
}

bool take(process_state& us, atoll_upc_pointer s, std::uint64_t n) noexcept {
  std::uint64_t value = us.atomic_at(s.thread, s.offset, atomic_op::get);
  while (value >= n) {
    const std::uint64_t found =
        us.atomic_at(s.thread, s.offset, atomic_op::fetch_cas, value, value - n);
    if (found == value) return true;
    value = found;
  }
  return false;
}

int attempt(const char* call, atoll_upc_pointer s, std::uint64_t n) {
  process_state& us = need(call, s);
  atoll_upc_fence();
  const bool is_taken = take(us, s, n);
  if (!is_taken) us.runtime.progress();  // programs repeat the call
  atoll_upc_fence();
  return is_taken ? 1 : 0;
}

void wait(const char* call, atoll_upc_pointer s, std::uint64_t n) {
  process_state& us = need(call, s);
  atoll_upc_fence();
  if (s.thread == us.rank()) {
    // Pairs with the atomic operation of post().
    const std::atomic_ref value(*reinterpret_cast<std::uint64_t*>(us.own_address(s.offset)));
    while (!take(us, s, n)) {
      us.runtime.wait_until([&] { return value.load(std::memory_order_acquire) >= n; },
                            us.all_direct ? 0 : runtime::silent_sleep_ns);
    }
  } else {
    waiter steps = us.runtime.new_wait();
    while (!take(us, s, n)) us.runtime.wait_step(steps);
  }
  atoll_upc_fence();
}

}  // namespace

atoll_upc_pointer bupc_sem_alloc(int flags) {
  process_state& us = running("bupc_sem_alloc");
  if ((flags & ~BUPC_SEM_MASK) != 0 ||
      (flags & (BUPC_SEM_BOOLEAN | BUPC_SEM_INTEGER)) == (BUPC_SEM_BOOLEAN | BUPC_SEM_INTEGER)) {
    refuse("bupc_sem_alloc", text("the flags are ", flags),
           "give BUPC_SEM_BOOLEAN or BUPC_SEM_INTEGER, and flags of producers and consumers");
  }
  atoll_upc_pointer made = allocate_local(us, block_bytes);
  if (made.offset == 0) return made;
  if ((flags & BUPC_SEM_BOOLEAN) != 0) made.offset += boolean_place;
  us.atomic_at(made.thread, made.offset, atomic_op::set, 0);
  return made;
}

void bupc_sem_free(atoll_upc_pointer s) {
  if (s.offset == 0) return;
  process_state& us = need("bupc_sem_free", s);
  s.offset -= s.offset % block_bytes;
  free_shared(us, "bupc_sem_free", s);
}

void bupc_sem_post(atoll_upc_pointer s) { post("bupc_sem_post", s, 1); }
void bupc_sem_postN(atoll_upc_pointer s, std::size_t n) {
  need_number("bupc_sem_postN", s);
  post("bupc_sem_postN", s, n);
}
void bupc_sem_wait(atoll_upc_pointer s) { wait("bupc_sem_wait", s, 1); }
void bupc_sem_waitN(atoll_upc_pointer s, std::size_t n) {
  need_number("bupc_sem_waitN", s);
  wait("bupc_sem_waitN", s, n);
}
int bupc_sem_try(atoll_upc_pointer s) { return attempt("bupc_sem_try", s, 1); }
int bupc_sem_tryN(atoll_upc_pointer s, std::size_t n) {
  need_number("bupc_sem_tryN", s);
  return attempt("bupc_sem_tryN", s, n);
}

void bupc_memput_signal(atoll_upc_pointer dst, const void* src, std::size_t nbytes,
                        atoll_upc_pointer s, std::size_t n) {
  if (dst.thread != s.thread) {
    refuse("bupc_memput_signal",
           text("the target is on thread ", dst.thread, ", and the semaphore on thread ", s.thread,
                source_place()),
           "use a semaphore of the thread that owns the target");
  }
  if (n != 1) need_number("bupc_memput_signal", s);
  atoll_upc_put(dst, src, nbytes);
  post("bupc_memput_signal", s, n);
}

void bupc_memput_signal_async(atoll_upc_pointer dst, const void* src, std::size_t nbytes,
                              atoll_upc_pointer s, std::size_t n) {
  bupc_memput_signal(dst, src, nbytes, s, n);
}
