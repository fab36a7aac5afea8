// SPDX-License-Identifier: BSD-3-Clause
//
// Updates gathered by owner: one message carries all updates for a rank, which applies them.
// Sorting has no branch, since the owner of an update cannot be predicted.
#pragma once

#include <apps/gups/table.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace gups {

class aggregated {
 public:
  static constexpr const char* name = "aggregated";
  static constexpr memory placement = memory::at_owner;

  explicit aggregated(const table& global_table)
      : table_(global_table),
        filled_(static_cast<std::size_t>(upcxx::rank_n())),
        boxes_(filled_.size()) {}

  /// Starts these updates; ready when they are done.
  upcxx::future<> start(std::span<const word> updates) {
    sort(updates);
    const auto me = static_cast<std::size_t>(upcxx::rank_me());
    const word mask = table_.words() - 1;
    upcxx::promise<> completion;
    for (std::size_t step = 1; step < boxes_.size(); ++step) {  // each begins with its neighbour
      const std::size_t to = (me + step) % boxes_.size();
      if (filled_[to] == 0) continue;
      const auto owner = static_cast<upcxx::intrank_t>(to);
      upcxx::rpc(owner, upcxx::operation_cx::as_promise(completion), change, table_.part_of(owner),
                 mask, upcxx::make_view(boxes_[to].data(), boxes_[to].data() + filled_[to]));
    }
    apply_updates(table_.local_part(), mask, std::span(boxes_[me]).first(filled_[me]));
    return completion.finalize();
  }

 private:
  static void change(const table_part& local, word mask, upcxx::view<word> updates) {
    apply_updates(local, mask, updates);
  }
  void sort(std::span<const word> updates) {
    for (std::vector<word>& box : boxes_) box.resize(std::max(box.size(), updates.size()));
    std::fill(filled_.begin(), filled_.end(), 0);
    for (const word update : updates) {
      const auto to = static_cast<std::size_t>(table_.owner(table_.target(update)));
      boxes_[to][filled_[to]++] = update;
    }
  }

  const table& table_;
  std::vector<std::size_t> filled_;
  std::vector<std::vector<word>> boxes_;  // per rank, each with room for all updates
};

}  // namespace gups
