// SPDX-License-Identifier: BSD-3-Clause
//
// The locks that this thread holds or waits for. A lock is one word in shared memory: the last
// thread of its queue, 0 while it is free. Each thread in the queue has a node in its own memory,
// and waits on that alone. It links its node behind that of the thread before it, which tells it
// when the lock is its own. So a free lock is taken and given back by one atomic operation each,
// threads get it in the order in which they asked, and a waiting thread loads no memory of others.
//
// Threads: one at a time.
#pragma once

#include <front/upc/process_state.hpp>

#include <cstdint>
#include <vector>

namespace atl::upc {

class lock_list {
 public:
  explicit lock_list(process_state& us) noexcept : us_(us) {}

  void lock(atoll_upc_pointer which);
  bool attempt(atoll_upc_pointer which);
  void unlock(atoll_upc_pointer which);

  /// Forgets a lock that is freed while this thread holds it.
  void forget(atoll_upc_pointer which);

 private:
  struct node;
  struct held {
    atoll_upc_pointer which;
    node* own;
  };

  node* new_node();
  void need_lock(const char* call, atoll_upc_pointer which) const;
  std::vector<held>::iterator find(atoll_upc_pointer which) noexcept;
  bool holds(atoll_upc_pointer which);
  void drop(std::vector<held>::iterator entry);
  std::uint64_t ticket_of(const node* own) const noexcept;
  void wait_for_turn(std::uint64_t predecessor, node* own) const;

  process_state& us_;
  std::vector<held> held_;
  std::vector<node*> unused_;
};

}  // namespace atl::upc
