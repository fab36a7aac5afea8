// SPDX-License-Identifier: BSD-3-Clause
//
// One connection between two parts of the launcher, on its owner's event loop: first the handshake,
// then frames in sealed records. Nothing that comes before the proof is looked at, and at most the
// few bytes of a handshake are held for a stranger. A link between a daemon and the process
// that has the ranks of its host is a socket pair that nobody else can reach: it is plain.
//
// A link is silent only when it is broken: tick() sends a ping when there was nothing to say, and
// closes a link of which nothing was heard for too long. `closed` is called once, and last.
#pragma once

#include <atoll/base/system/descriptor.hpp>
#include <tools/hosts/handshake.hpp>
#include <tools/hosts/protocol.hpp>
#include <tools/run/event_loop.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace atl::tools {

class link : public std::enable_shared_from_this<link> {
 public:
  using clock = std::chrono::steady_clock;

  struct events {
    std::function<void(link&)> proven;
    std::function<void(link&, const protocol::frame&)> received;
    std::function<void(link&, const std::string& reason)> closed;
  };

  /// The parts of a link; without a key the link is plain.
  struct parts {
    descriptor socket;  // connected; the link makes it non-blocking
    handshake::side side = handshake::side::called;
    const secret* key = nullptr;
    std::uint32_t node = 0;  // of the caller, when this is its side
    std::size_t body_bytes_max = protocol::up_bytes_max;
  };

  static std::shared_ptr<link> open(event_loop& loop, parts made_of, events handlers);
  ~link();

  void set_events(events to) { events_ = std::move(to); }

  /// Sends a frame once the link is proven.
  void send(std::span<const std::byte> frame);

  /// Closes without calling `closed`.
  void drop();

  /// Pings or gives up; call it about every second.
  void tick(clock::time_point now, clock::duration silence_max);

  bool is_proven() const { return proven_; }
  bool is_refused() const { return refused_; }  // its proof was wrong
  bool is_open() const { return static_cast<bool>(socket_); }
  bool is_flushed() const { return queue_.size() == sent_; }
  std::uint32_t node() const { return node_; }
  clock::time_point opened_at() const { return opened_at_; }

 private:
  link(event_loop& loop, parts made_of);
  void happened(std::uint32_t flags);
  void readable();
  void take(std::span<const std::byte> received);
  bool shake(std::span<const std::byte>& received);
  bool take_records(std::span<const std::byte> received);
  void take_frames();
  void queue(std::span<const std::byte> raw);
  void flush();
  void close(const std::string& reason);

  event_loop& loop_;
  descriptor socket_;
  event_loop::token token_ = 0;
  events events_;
  std::optional<handshake> shaking_;
  std::optional<seal> sending_;
  std::optional<seal> receiving_;
  std::uint32_t node_;
  bool proven_;
  bool refused_ = false;
  protocol::stream frames_;
  bytes record_;  // what has come of the current one
  bytes queue_;
  std::size_t sent_ = 0;
  clock::time_point opened_at_;
  clock::time_point heard_at_;
  clock::time_point said_at_;
};

}  // namespace atl::tools
