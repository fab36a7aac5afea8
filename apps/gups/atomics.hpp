// SPDX-License-Identifier: BSD-3-Clause
//
// A remote atomic for each update. For a rank on the same host it is one locked instruction,
// which waits for the cache line of its word. So the lines of the next updates are prefetched
// where they are mapped here.
#pragma once

#include <apps/gups/table.hpp>

#include <span>

namespace gups {

class atomics {
 public:
  static constexpr const char* name = "atomics";
  static constexpr memory placement = memory::of_all;

  explicit atomics(const table& global_table) : table_(global_table) {}
  atomics(const atomics&) = delete;
  atomics& operator=(const atomics&) = delete;
  ~atomics() { domain_.destroy(); }

  /// Starts these updates; ready when they are done.
  upcxx::future<> start(std::span<const word> updates) {
    upcxx::promise<> completion;
    const auto ask = [&](word update) {
      const upcxx::global_ptr<word> target = table_.pointer_to(table_.target(update));
      if (target.is_local()) __builtin_prefetch(target.local(), 1);
    };
    const auto change = [&](word update) {
      domain_.bit_xor(table_.pointer_to(table_.target(update)), update, std::memory_order_relaxed,
                      upcxx::operation_cx::as_promise(completion));
    };
    change_in_turn(updates, ask, change);
    return completion.finalize();
  }

 private:
  const table& table_;
  upcxx::atomic_domain<word> domain_{{upcxx::atomic_op::bit_xor}};
};

}  // namespace gups
