// SPDX-License-Identifier: BSD-3-Clause
//
// Locks (UPC language specification 1.3, 7.2.4). A ticket names a node: the thread and the node's
// offset in its memory, in units of 64 bytes. Locks and nodes are 64 bytes, so that two of them
// never share a line of the cache.
#include <front/upc/locks.hpp>

#include <upc.h>

#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <front/upc/allocation.hpp>

#include <atomic>
#include <cstddef>
#include <new>

namespace atl::upc {
namespace {

constexpr unsigned thread_shift = 44;
constexpr std::size_t unit_bytes = 64;
constexpr std::size_t nodes_at_once = 16;

rank_id thread_of(std::uint64_t ticket) noexcept {
  return static_cast<rank_id>((ticket >> thread_shift) - 1);
}
std::uint64_t offset_of(std::uint64_t ticket) noexcept {
  return (ticket & ((std::uint64_t{1} << thread_shift) - 1)) * unit_bytes;
}

}  // namespace

struct alignas(64) lock_list::node {
  std::uint64_t next = 0;  // ticket of the thread behind this one in the queue
  std::uint64_t turn = 0;  // 1: the lock is this thread's
};

std::uint64_t lock_list::ticket_of(const node* own) const noexcept {
  return (std::uint64_t{us_.rank()} + 1) << thread_shift | us_.own_offset(own) / unit_bytes;
}

lock_list::node* lock_list::new_node() {
  if (unused_.empty()) {
    const atoll_upc_pointer block = allocate_local(us_, nodes_at_once * sizeof(node));
    if (block.offset == 0) {
      refuse("upc_lock", "there is no memory for the thread's place in the queue",
             "free shared memory, or raise ATOLL_SEGMENT_LIMIT");
    }
    for (std::size_t i = 0; i < nodes_at_once; ++i) {
      unused_.push_back(new (us_.own_address(block.offset + i * sizeof(node))) node);
    }
  }
  node* const own = unused_.back();
  unused_.pop_back();
  own->next = 0;
  own->turn = 0;
  return own;
}

std::vector<lock_list::held>::iterator lock_list::find(atoll_upc_pointer which) noexcept {
  auto each = held_.end();
  while (each != held_.begin()) {
    --each;
    if (atoll_upc_equal(each->which, which)) return each;
  }
  return held_.end();
}

void lock_list::need_lock(const char* call, atoll_upc_pointer which) const {
  if (which.offset != 0 && which.thread < us_.size()) [[likely]]
    return;
  refuse(call, text("the lock is ", text_of(which), source_place()),
         "use a lock that upc_all_lock_alloc or upc_global_lock_alloc has returned");
}

void lock_list::drop(std::vector<held>::iterator entry) {
  unused_.push_back(entry->own);
  held_.erase(entry);
}

// Whether this thread still holds the lock. Another thread may have freed it, and a new lock may
// lie in its place: then the queue neither ends with this thread's node nor goes on behind it. A
// held lock looks the same while the next thread has entered the queue but has not yet linked its
// node behind this one. Only a program that wrongly locks twice in a row can meet that moment; it
// then waits for itself instead of getting a message.
bool lock_list::holds(atoll_upc_pointer which) {
  const auto entry = find(which);
  if (entry == held_.end()) return false;
  const std::uint64_t last = us_.atomic_at(which.thread, which.offset, atomic_op::get);
  const std::atomic_ref next(entry->own->next);
  if (last == ticket_of(entry->own)) return true;
  if (last != 0 && next.load(std::memory_order_acquire) != 0) return true;
  drop(entry);
  return false;
}

// The node is ready before it can be found: the release of the swap orders that.
void lock_list::lock(atoll_upc_pointer which) {
  need_lock("upc_lock", which);
  if (holds(which)) {
    refuse("upc_lock",
           text("this thread holds the lock (", text_of(which), ") already", source_place()),
           "unlock it before it is locked again");
  }
  node* const own = new_node();
  held_.push_back({which, own});
  const std::uint64_t predecessor =
      us_.atomic_at(which.thread, which.offset, atomic_op::swap, ticket_of(own));
  if (predecessor != 0) wait_for_turn(predecessor, own);
}

void lock_list::wait_for_turn(std::uint64_t predecessor, node* own) const {
  us_.atomic_at(thread_of(predecessor), offset_of(predecessor) + offsetof(node, next),
                atomic_op::set, ticket_of(own));
  us_.wake(thread_of(predecessor));
  // Pairs with the store of the holder in unlock().
  const std::atomic_ref turn(own->turn);
  us_.runtime.wait_until([&] { return turn.load(std::memory_order_acquire) != 0; },
                         us_.all_direct ? 0 : runtime::silent_sleep_ns);
}

bool lock_list::attempt(atoll_upc_pointer which) {
  need_lock("upc_lock_attempt", which);
  if (us_.atomic_at(which.thread, which.offset, atomic_op::get) != 0) {
    us_.runtime.progress();  // programs repeat the call until another thread has unlocked
    return false;
  }
  node* const own = new_node();
  if (us_.atomic_at(which.thread, which.offset, atomic_op::fetch_cas, 0, ticket_of(own)) != 0) {
    unused_.push_back(own);
    return false;
  }
  forget(which);  // the lock was free, so an entry would be that of a freed lock in its place
  held_.push_back({which, own});
  return true;
}

void lock_list::unlock(atoll_upc_pointer which) {
  const auto entry = find(which);
  if (entry == held_.end()) {
    refuse("upc_unlock",
           text("this thread does not hold the lock (", text_of(which), ")", source_place()),
           "unlock what upc_lock or upc_lock_attempt has locked on this thread");
  }
  node* const own = entry->own;
  held_.erase(entry);
  // Pairs with the store of the thread behind in wait_for_turn().
  const std::atomic_ref next(own->next);
  if (next.load(std::memory_order_acquire) == 0) {
    const std::uint64_t ticket = ticket_of(own);
    if (us_.atomic_at(which.thread, which.offset, atomic_op::fetch_cas, ticket, 0) == ticket) {
      unused_.push_back(own);
      return;
    }
    us_.runtime.wait_until([&] { return next.load(std::memory_order_acquire) != 0; },
                           runtime::silent_sleep_ns);
  }
  const std::uint64_t behind = next.load(std::memory_order_relaxed);
  us_.atomic_at(thread_of(behind), offset_of(behind) + offsetof(node, turn), atomic_op::set, 1);
  us_.wake(thread_of(behind));
  unused_.push_back(own);
}

void lock_list::forget(atoll_upc_pointer which) {
  const auto entry = find(which);
  if (entry != held_.end()) drop(entry);
}

namespace {

atoll_upc_pointer new_lock(process_state& us) {
  const atoll_upc_pointer made = allocate_local(us, unit_bytes);
  if (made.offset != 0) us.atomic_at(made.thread, made.offset, atomic_op::set, 0);
  return made;
}

}  // namespace
}  // namespace atl::upc

using namespace atl;
using namespace atl::upc;

atoll_upc_pointer upc_global_lock_alloc() { return new_lock(running("upc_global_lock_alloc")); }

atoll_upc_pointer upc_all_lock_alloc() {
  process_state& us = running("upc_all_lock_alloc");
  atoll_upc_pointer made = us.rank() == 0 ? new_lock(us) : atoll_upc_pointer{};
  coll::broadcast(*us.world, 0, &made, &made, sizeof made);
  return made;
}

void upc_lock_free(atoll_upc_pointer ptr) {
  process_state& us = running("upc_lock_free");
  us.locks->forget(ptr);
  free_shared(us, "upc_lock_free", ptr);
}

void upc_all_lock_free(atoll_upc_pointer ptr) {
  process_state& us = running("upc_all_lock_free");
  if (ptr.offset == 0) return;
  us.locks->forget(ptr);
  us.world->barrier();
  if (us.rank() == 0) free_shared(us, "upc_all_lock_free", ptr);
}

// A null strict access follows a lock and precedes an unlock. The atomic operations are ordered
// with all accesses of the processor; the fence completes transfers that are under way.
void upc_lock(atoll_upc_pointer ptr) {
  process_state& us = running("upc_lock");
  const timed_event waited(us.counted.get(), statistic::locks, statistic::lock_ns);
  if (atoll_upc_unordered != 0) atoll_upc_complete();
  us.locks->lock(ptr);
}

int upc_lock_attempt(atoll_upc_pointer ptr) {
  process_state& us = running("upc_lock_attempt");
  if (atoll_upc_unordered != 0) atoll_upc_complete();
  const bool is_taken = us.locks->attempt(ptr);
  if (is_taken && us.counted != nullptr) us.counted->add(statistic::locks);
  return is_taken ? 1 : 0;
}

void upc_unlock(atoll_upc_pointer ptr) {
  process_state& us = running("upc_unlock");
  if (atoll_upc_unordered != 0) atoll_upc_complete();
  us.locks->unlock(ptr);
}
