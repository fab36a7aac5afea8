// SPDX-License-Identifier: BSD-3-Clause
//
// Counts events by kind. A rank does each thing once before all can do it again, except in programs
// whose ranks join and leave alone; there a message is only sent earlier than necessary.
#include <tools/hosts/event_batch.hpp>
#include <tools/hosts/protocol.hpp>

#include <algorithm>
#include <utility>

namespace atl::tools {
namespace {

constexpr std::size_t event_bytes = 32;  // without version and blob, rounded up

std::size_t bytes_of(const rank_event& event) {
  return event_bytes + event.version.size() + event.blob.size();
}

bool is_code(const rank_event& event) {
  return event.number != 0 &&
         (event.type == rank_event::kind::stopped || event.type == rank_event::kind::ended);
}

}  // namespace

void event_batch::add(rank_event event, clock::time_point now) {
  const std::size_t count = ++counts_[static_cast<std::size_t>(event.type)];
  const bool is_first_code = is_code(event) && !std::exchange(has_code_, true);
  const bool is_due = !holds_ || count % ranks_ == 0 || is_first_code;
  due_at_ = std::min(due_at_, is_due ? now : now + hold_time);
  events_.push_back(std::move(event));
}

std::vector<std::vector<rank_event>> event_batch::take() {
  due_at_ = clock::time_point::max();
  std::vector<std::vector<rank_event>> pieces;
  std::size_t piece_bytes = protocol::up_bytes_max;
  for (auto& event : std::exchange(events_, {})) {
    piece_bytes += bytes_of(event);
    if (piece_bytes > protocol::up_bytes_max - event_bytes ||
        pieces.back().size() == protocol::list_max) {
      pieces.emplace_back();
      piece_bytes = bytes_of(event);
    }
    pieces.back().push_back(std::move(event));
  }
  return pieces;
}

}  // namespace atl::tools
