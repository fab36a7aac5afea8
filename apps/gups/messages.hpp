// SPDX-License-Identifier: BSD-3-Clause
//
// A message for each update of another rank's word: the owner applies it, in its progress. A rank
// changes its own words at once; both happen in one thread, so nothing is atomic.
#pragma once

#include <apps/gups/table.hpp>

#include <span>

namespace gups {

class messages {
 public:
  static constexpr const char* name = "am";
  static constexpr memory placement = memory::at_owner;

  explicit messages(const table& global_table) : table_(global_table) {}

  /// Starts these updates; ready when they are done.
  upcxx::future<> start(std::span<const word> updates) const {
    const upcxx::intrank_t me = upcxx::rank_me();
    upcxx::promise<> completion;
    for (const word update : updates) {
      const word index = table_.target(update);
      const upcxx::intrank_t owner = table_.owner(index);
      const table_part& owner_part = table_.part_of(owner);
      word* const target = owner_part.at_owner + (index - owner_part.first);
      if (owner == me) {
        *target ^= update;
      } else {
        upcxx::rpc(owner, upcxx::operation_cx::as_promise(completion), change, target, update);
      }
    }
    return completion.finalize();
  }

 private:
  static void change(word* target, word update) { *target ^= update; }

  const table& table_;
};

}  // namespace gups
