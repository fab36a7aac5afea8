// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages of a rank to itself: send() runs the handler before it returns, so there is no
// queue and nothing to poll. The payload of a medium is copied into a block first, as a handler
// owns its buffer while it runs. This is the smallest whole transport: the sample to copy.
#pragma once

#include <atoll/transport/pool.hpp>
#include <atoll/transport/transport.hpp>

#include <array>
#include <memory>

namespace atl::transport::loop {

class context final : public transport {
 public:
  /// `self` is this rank; messages arrive at `to`.
  context(rank_id self, bool threaded, receiver& to);

  std::string_view name() const noexcept override { return "loop"; }
  capabilities describe() const noexcept override {
    return {.medium_max = pool_memory::large_bytes, .delivers_inline = true};
  }
  bool has_room(rank_id, channel) noexcept override { return true; }
  post send(const message& out) noexcept override;
  staging prepare(channel via, std::size_t bytes) noexcept override;
  post commit(const staging& buffer, const message& out) noexcept override;
  void cancel(const staging& buffer) noexcept override;
  std::size_t poll(bool) noexcept override { return 0; }

 private:
  struct unmap {
    void operator()(pool_memory* pools) const noexcept;
  };

  static pool_memory* map_pools();
  void deliver(const message& out, void* payload) noexcept;

  rank_id self_;
  receiver& to_;
  std::unique_ptr<pool_memory[], unmap> memory_;  // by channel
  std::array<pool_owner, 2> pools_;               // by channel
};

}  // namespace atl::transport::loop
