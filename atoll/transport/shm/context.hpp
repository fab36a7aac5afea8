// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages between the ranks of one host, through the memory they share. Each rank owns, in
// its control area: a doorbell (in its page), a ring of request cells and a ring of reply cells
// (ring.hpp), which others write and it reads; and two pools of payload buffers (pool.hpp), which
// it writes and others read. A short message is one cache line; a medium of a few bytes rides in
// the cell; a larger one is written once into a pool block and read in place.
#pragma once

#include <atoll/base/threads/doorbell.hpp>
#include <atoll/memory/host_memory.hpp>
#include <atoll/transport/contact_table.hpp>
#include <atoll/transport/pool.hpp>
#include <atoll/transport/shm/geometry.hpp>
#include <atoll/transport/shm/ring.hpp>
#include <atoll/transport/transport.hpp>

#include <array>
#include <atomic>
#include <vector>

namespace atl::transport::shm {

/// The rank that uses the context, and how it uses it.
struct context_options {
  memory::host_memory& memory;
  rank_id self;
  geometry shape;
  bool threaded;  // several threads of this rank may send and poll
  receiver& to;
};

class context final : public transport {
 public:
  explicit context(const context_options& use);

  std::string_view name() const noexcept override { return "shm"; }
  capabilities describe() const noexcept override {
    return {.medium_max = pool_memory::large_bytes};
  }
  bool has_room(rank_id target, channel via) noexcept override {
    return peer_of(target).rings[static_cast<std::size_t>(via)].has_room();
  }
  post send(const message& out) noexcept override;
  staging prepare(channel via, std::size_t bytes) noexcept override;
  post commit(const staging& buffer, const message& out) noexcept override;
  void cancel(const staging& buffer) noexcept override;
  std::size_t poll(bool replies_only) noexcept override;
  void forget(rank_id rank) noexcept override;

 private:
  struct neighbour {
    std::array<ring_writer, 2> rings;  // by channel
    doorbell* bell;
    bool dead = false;  // it gets no block any more; by atomic_ref, since a neighbour is moved once

    bool is_dead() noexcept { return std::atomic_ref(dead).load(std::memory_order_relaxed); }
    void mark_dead() noexcept { std::atomic_ref(dead).store(true, std::memory_order_relaxed); }
  };

  neighbour& peer_of(rank_id rank) noexcept {
    return peers_.get(rank - first_, [&] { return make_peer(rank); });
  }
  neighbour make_peer(rank_id rank) const noexcept;
  post send_block(const message& out) noexcept;
  post mark_and_refuse(neighbour& to, channel via) noexcept;
  post put_cell(const message& out, cell_kind kind, const void* tail,
                std::size_t tail_bytes) noexcept;
  std::size_t drain_all(bool replies_only) noexcept;
  std::size_t drain(ring_reader& inbox) noexcept;
  void ring_for(std::uint64_t marks) noexcept;
  void deliver(ring_cell& taken, bool taken_out) noexcept;

  memory::host_memory& memory_;
  geometry shape_;
  rank_id self_;
  bool threaded_;
  receiver& to_;
  rank_id first_;        // of the host
  bool is_sole_writer_;  // of the rings of the only other rank
  contact_table<neighbour> peers_;
  std::array<ring_reader, 2> inbox_;  // by channel
  std::array<pool_owner, 2> pools_;   // by channel
};

}  // namespace atl::transport::shm
