// SPDX-License-Identifier: BSD-3-Clause
//
// A message for each update of another rank's word: the owner applies it, in its progress. A rank
// changes its own words there and then; both happen in one thread, so nothing is atomic.
#pragma once

#include <apps/gups/table.hpp>

#include <span>

namespace gups {

class messages {
 public:
  static constexpr const char* name = "am";
  static constexpr memory where = memory::at_owner;

  explicit messages(const table& on) : on_(on) {}

  /// Starts these updates; ready when they are done.
  upcxx::future<> start(std::span<const word> updates) const {
    const upcxx::intrank_t me = upcxx::rank_me();
    upcxx::promise<> all;
    for (const word update : updates) {
      const word index = on_.target(update);
      const upcxx::intrank_t owner = on_.owner(index);
      const table_part& its = on_.part_of(owner);
      word* const there = its.at_owner + (index - its.first);
      if (owner == me) {
        *there ^= update;
      } else {
        upcxx::rpc(owner, upcxx::operation_cx::as_promise(all), change, there, update);
      }
    }
    return all.finalize();
  }

 private:
  static void change(word* mine, word update) { *mine ^= update; }

  const table& on_;
};

}  // namespace gups
