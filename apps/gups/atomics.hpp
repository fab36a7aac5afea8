// SPDX-License-Identifier: BSD-3-Clause
//
// A remote atomic for each update. To a rank on the same host it is one locked instruction on its
// word, and what it would wait for is the word's cache line: so the lines of the next updates
// are asked for before, as far as they are mapped here.
#pragma once

#include <apps/gups/table.hpp>

#include <span>

namespace gups {

class atomics {
 public:
  static constexpr const char* name = "atomics";
  static constexpr memory where = memory::of_all;

  explicit atomics(const table& on) : on_(on) {}
  atomics(const atomics&) = delete;
  atomics& operator=(const atomics&) = delete;
  ~atomics() { domain_.destroy(); }

  /// Starts these updates; ready when they are done.
  upcxx::future<> start(std::span<const word> updates) {
    upcxx::promise<> all;
    const auto ask = [&](word update) {
      const upcxx::global_ptr<word> there = on_.at(on_.target(update));
      if (there.is_local()) __builtin_prefetch(there.local(), 1);
    };
    const auto change = [&](word update) {
      domain_.bit_xor(on_.at(on_.target(update)), update, std::memory_order_relaxed,
                      upcxx::operation_cx::as_promise(all));
    };
    change_in_turn(updates, ask, change);
    return all.finalize();
  }

 private:
  const table& on_;
  upcxx::atomic_domain<word> domain_{{upcxx::atomic_op::bit_xor}};
};

}  // namespace gups
