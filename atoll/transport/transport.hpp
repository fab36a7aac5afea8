// SPDX-License-Identifier: BSD-3-Clause
//
// The transport contract: what a way of reaching peers must be able to do. A transport moves active
// messages; bulk data goes by loads and stores where the peer's memory is mapped (core/path.hpp)
// and otherwise over these messages. Everything is chosen at run time: one job may use several
// transports, one per peer, and `list.cpp` names those that are built in.
//
// Data functions never block, throw or allocate. They return `done`, or `retry`: nothing happened,
// make progress and post again. Control functions may throw `atl::error`.
//
// Two channels keep active messages free of deadlock. Requests and replies have separate queues and
// separate payload buffers, so a reply never waits behind a request; a handler of a reply may not
// send, so replies always drain. Whoever waits for room for a request polls both channels; whoever
// waits for room for a reply polls replies only.
//
// Threads: in thread mode `any` every data function may be called by any thread at the same time;
// in mode `single` by one thread only, and a transport leaves out what is not needed then.
#pragma once

#include <atoll/base/doorbell.hpp>
#include <atoll/base/rank.hpp>
#include <atoll/transport/message.hpp>

#include <cstddef>
#include <string_view>

namespace atl::transport {

/// What a transport says of itself; the core plans with it.
struct capabilities {
  std::size_t medium_max = 0;    // bytes of payload in one message
  bool delivers_inline = false;  // send() runs the handler before it returns
};

/// Where arriving messages go: the core. Runs the handler before it returns. A message that says it
/// is taken out is the receiver's until then: a poll in between neither finds it again nor lets its
/// sender write over it.
class sink {
 public:
  virtual void deliver(const arrival& message) noexcept = 0;

 protected:
  ~sink() = default;
};

class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  virtual std::string_view name() const noexcept = 0;
  virtual capabilities describe() const noexcept = 0;

  /// Whether a message on this channel would find room now; another thread may still take it.
  virtual bool has_room(rank_id target, channel via) noexcept = 0;

  /// Sends one message; arguments and payload may be reused when it returns `done`.
  virtual post send(const message& out) noexcept = 0;

  /// Negotiated payload: a buffer of at least `bytes` (at most medium_max) that the caller fills in
  /// place; its `data` is null when none is free now (retry). Every buffer is ended by one commit
  /// or cancel.
  virtual staging prepare(channel via, std::size_t bytes) noexcept = 0;

  /// Sends a prepared buffer; `out.payload` is ignored and `out.bytes` may be less than prepared.
  /// After `retry` the buffer is still the caller's.
  virtual post commit(const staging& buffer, const message& out) noexcept = 0;

  /// Gives a prepared buffer back unsent.
  virtual void cancel(const staging& buffer) noexcept = 0;

  /// Delivers what has arrived, a bounded number, replies first; `replies_only` leaves requests
  /// where they are. Returns the number delivered.
  virtual std::size_t poll(bool replies_only) noexcept = 0;
};

}  // namespace atl::transport
