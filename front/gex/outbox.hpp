// SPDX-License-Identifier: BSD-3-Clause
//
// Requests that handlers send although they may not, in a program whose misuse is tolerated. A
// handler cannot wait for room: two ranks whose handlers did so would wait for each other. So a
// request that finds no room is copied and kept, and progress outside of handlers sends it. Such
// requests may overtake each other, as all active messages may.
//
// Threads: any may send; progress advances it in one thread at a time. The lock is never held
// while a message is sent, since a message to the rank itself runs its handler there.
#pragma once

#include <atoll/core/am/endpoint.hpp>
#include <atoll/core/progress/attachment.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

namespace atl::gex {

class outbox final : public attachment {
 public:
  /// Sends a short or medium request from inside of a handler, or keeps a copy of it. False only
  /// when `immediate` and there was no room; then nothing happened.
  bool send(atl::endpoint& from, const am_message& request, bool immediate) noexcept;

  bool advance() noexcept override;
  // Acquire: pairs with the release in count(); see attachment_list::keep.
  bool busy() const noexcept override { return kept_count_.load(std::memory_order_acquire) != 0; }

 private:
  struct kept_request {
    atl::endpoint* from;
    am_message request;  // args and payload are those below, set when it is sent
    std::array<std::uint32_t, transport::max_args> args;
    std::vector<std::byte> payload;
  };

  void keep(atl::endpoint& from, const am_message& request);
  void count() noexcept;  // to be called with the lock
  std::optional<kept_request> take();
  void put_back(kept_request&& unsent);

  std::mutex guard_;  // of kept_
  std::deque<kept_request> kept_;
  std::atomic<std::size_t> kept_count_ = 0;
};

}  // namespace atl::gex
