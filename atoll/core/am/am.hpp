// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages as their users see them: a table of handlers per endpoint, and the token that a
// handler gets. A handler runs inside a poll of the target, on the polling thread. It may reply at
// most once, and only to a request; it may not block, send requests or use the network otherwise.
//
// Threads: entries may be added while messages arrive (`slot::accepts` publishes an entry); a token
// belongs to the handler's call.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/transport/message.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace atl {

class endpoint;
class runtime;

using am_message = transport::message;
using am_category = transport::category;
using handler_id = std::uint8_t;

/// One arrived message, seen by its handler.
class am_token {
 public:
  am_token(endpoint& target, const transport::arrival& in) noexcept
      : endpoint_(&target), in_(&in) {}
  am_token(const am_token&) = delete;
  am_token& operator=(const am_token&) = delete;

  endpoint& receiver() const noexcept { return *endpoint_; }
  /// The endpoint that the message came from, and that a reply goes to.
  endpoint& back() const noexcept;
  rank_id source() const noexcept { return in_->source; }
  bool is_request() const noexcept { return in_->via == transport::channel::request; }
  bool replied() const noexcept { return replied_; }
  am_category category() const noexcept { return in_->kind; }
  handler_id handler() const noexcept { return in_->handler; }
  /// Whether the handler may leave its own context, in which it may do nothing but reply, for that
  /// of the polling thread; see outside_handler.
  bool may_leave() const noexcept { return in_->taken_out; }
  unsigned nargs() const noexcept { return in_->nargs; }

  /// Sends the reply; `out` names handler, arguments and payload (target and channel are filled in
  /// here). Waits for room by polling replies; with `immediate` it returns false instead, and
  /// nothing has happened. A second reply, or a reply to a reply, ends the job with a message.
  bool reply(am_message&& out, bool immediate = false) noexcept;

  /// A buffer for the payload of the reply (medium, or a long of up to that size); see
  /// endpoint::prepare. Its data is null only when `immediate` and none is free.
  transport::staging prepare_reply(std::size_t bytes, bool immediate = false) noexcept;
  bool commit_reply(const transport::staging& buffer, am_message out,
                    bool immediate = false) noexcept;

 private:
  void check_reply(handler_id handler) const noexcept;

  endpoint* endpoint_;
  const transport::arrival* in_;
  bool replied_ = false;
};

/// A handler: `context` as registered; `args` and `payload` are valid until it returns.
using am_handler = void (*)(void* context, am_token& token, const std::uint32_t* args,
                            unsigned nargs, void* payload, std::size_t bytes);

/// A handler and the messages that it accepts; any other message for it ends the job with an error
/// that names the handler.
struct am_entry {
  static constexpr unsigned any_nargs = ~0u;
  static constexpr unsigned accept_short = 1, accept_medium = 2, accept_long = 4, accept_all = 7;
  static constexpr unsigned accept_request = 1, accept_reply = 2, accept_both = 3;

  am_handler run = nullptr;
  void* context = nullptr;
  unsigned nargs = any_nargs;        // exactly this number, or any
  unsigned categories = accept_all;  // accept_short, _medium and _long, added up
  unsigned channels = accept_both;   // accept_request or accept_reply, or both
  std::string_view name = {};        // for error messages; the storage is the caller's
};

/// The handlers of one endpoint, by index.
class handler_table {
 public:
  static constexpr std::size_t size = 256;

  /// Sets an entry; false when the index is taken. Any thread.
  bool set(handler_id index, const am_entry& entry) noexcept;

  /// Sets an entry at the highest free index, `lowest` or above; false when none is free.
  bool set_any(handler_id lowest, const am_entry& entry, handler_id& index) noexcept;

  /// The entry at an index that is registered.
  const am_entry& entry_at(handler_id index) const noexcept { return entries_[index].entry; }

  bool taken(handler_id index) const noexcept {
    return (entries_[index].accepts.load(std::memory_order_acquire) & registered) != 0;
  }

  /// The entry that runs for a message; null when none is registered or it accepts no such message.
  const am_entry* find(const transport::arrival& in) const noexcept {
    const slot& candidate = entries_[in.handler];
    // Pairs with the release in set: the entry of a registered slot is whole.
    const std::uint32_t accepts = candidate.accepts.load(std::memory_order_acquire);
    if ((accepts >> place(in.kind, in.via) & 1) == 0) return nullptr;
    const bool fits =
        candidate.entry.nargs == in.nargs || candidate.entry.nargs == am_entry::any_nargs;
    return fits ? &candidate.entry : nullptr;
  }

 private:
  // Bits of slot::accepts beside those of the messages accepted.
  static constexpr std::uint32_t claimed = 1u << 30, registered = 1u << 31;

  static constexpr unsigned place(am_category kind, transport::channel via) noexcept {
    return static_cast<unsigned>(kind) + 4 * static_cast<unsigned>(via);
  }

  struct alignas(64) slot {
    std::atomic<std::uint32_t> accepts = 0;  // 0: free
    am_entry entry;
  };
  std::array<slot, size> entries_;
};

}  // namespace atl
