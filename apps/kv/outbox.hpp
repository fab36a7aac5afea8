// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers items for each rank and sends them in batches: one message for hundreds of small items
// instead of one for each.
#pragma once

#include <upcxx/upcxx.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace kv {

/// `Send` is called with a rank and a std::vector<Item>& of its items, and may move from the
/// vector.
template <class Item, class Send>
class outbox {
 public:
  outbox(upcxx::intrank_t ranks, std::size_t batch, Send send)
      : batch_(batch), send_(std::move(send)), boxes_(static_cast<std::size_t>(ranks)) {}

  void add(upcxx::intrank_t to, Item item) {
    std::vector<Item>& box = boxes_[static_cast<std::size_t>(to)];
    if (box.capacity() < batch_) box.reserve(batch_);
    box.push_back(std::move(item));
    if (box.size() == batch_) send_box(to, box);
  }
  /// Sends everything that has been gathered.
  void flush() {
    for (std::size_t to = 0; to < boxes_.size(); ++to) {
      if (!boxes_[to].empty()) send_box(static_cast<upcxx::intrank_t>(to), boxes_[to]);
    }
  }

 private:
  void send_box(upcxx::intrank_t to, std::vector<Item>& box) {
    send_(to, box);
    box.clear();
  }

  std::size_t batch_;
  Send send_;
  std::vector<std::vector<Item>> boxes_;
};

template <class Item, class Send>
outbox<Item, Send> make_outbox(upcxx::intrank_t ranks, std::size_t batch, Send send) {
  return outbox<Item, Send>(ranks, batch, std::move(send));
}

}  // namespace kv
