// SPDX-License-Identifier: BSD-3-Clause
//
// Sending and receiving over the rings. What a cell's data holds after the arguments (which are
// padded to 8 bytes): nothing for a short, the bytes of a small medium, the block number of a large
// one, the address and size of a long one. Blocks always belong to the pool of the cell's source.
#include <atoll/transport/shm/context.hpp>

#include <algorithm>
#include <cstring>

namespace atl::transport::shm {

namespace {

constexpr std::size_t drain_max = 64;  // messages per channel and poll: keeps a poll bounded

constexpr std::size_t index_of(channel via) { return static_cast<std::size_t>(via); }

constexpr std::size_t page_up(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

constexpr std::size_t args_bytes(unsigned nargs) { return (4 * std::size_t{nargs} + 7) / 8 * 8; }

struct long_location {
  std::uint64_t address;
  std::uint64_t bytes;
};

// Where the parts of a control area are: the rank's page, two rings, two pools.
ring_memory& ring_of(memory::host_memory& memory, rank_id rank, const geometry& shape,
                     channel via) noexcept {
  std::byte* at = memory.control(rank) + memory::rank_page_bytes;
  at += index_of(via) * page_up(ring_memory::bytes(shape.ring_cells));
  return *reinterpret_cast<ring_memory*>(at);
}

pool_memory& pool_of(memory::host_memory& memory, rank_id rank, const geometry& shape,
                     channel via) noexcept {
  std::byte* at = memory.control(rank) + memory::rank_page_bytes +
                  2 * page_up(ring_memory::bytes(shape.ring_cells));
  return *reinterpret_cast<pool_memory*>(at + index_of(via) * sizeof(pool_memory));
}

}  // namespace

std::size_t geometry::control_bytes() const noexcept {
  return memory::rank_page_bytes + 2 * page_up(ring_memory::bytes(ring_cells)) +
         2 * sizeof(pool_memory);
}

context::context(const options& use)
    : memory_(use.memory),
      shape_(use.shape),
      self_(use.self),
      to_(use.to),
      inbox_{ring_reader(ring_of(use.memory, use.self, use.shape, channel::request),
                         use.shape.ring_cells, use.threaded),
             ring_reader(ring_of(use.memory, use.self, use.shape, channel::reply),
                         use.shape.ring_cells, use.threaded)},
      pools_{pool_owner(pool_of(use.memory, use.self, use.shape, channel::request), use.threaded),
             pool_owner(pool_of(use.memory, use.self, use.shape, channel::reply), use.threaded)} {
  const rank_id ranks = use.memory.layout().ranks;
  // With two ranks and one thread, this rank is the only one that ever writes to the other.
  const bool sole = ranks == 2 && !use.threaded;
  peers_.reserve(ranks);
  for (rank_id rank = 0; rank < ranks; ++rank) {
    const auto writer = [&](channel via) {
      return ring_writer(ring_of(memory_, rank, shape_, via), shape_.ring_cells, sole);
    };
    peers_.push_back({.rings = {writer(channel::request), writer(channel::reply)},
                      .bell = &memory_.page(rank).bell});
  }
}

post context::put_cell(const message& out, cell_kind kind, const void* tail,
                       std::size_t tail_bytes) noexcept {
  peer& to = peers_[out.target];
  std::uint64_t ticket;
  cell* at = to.rings[index_of(out.via)].claim(ticket);
  if (at == nullptr) return post::retry;
  at->source = self_;
  at->handler = out.handler;
  at->nargs = out.nargs;
  at->kind = kind;
  at->endpoint = out.endpoint;
  at->bytes = static_cast<std::uint32_t>(out.bytes);
  for (unsigned i = 0; i < out.nargs; ++i) std::memcpy(at->data + 4 * i, out.args + i, 4);
  if (tail_bytes != 0) std::memcpy(at->data + args_bytes(out.nargs), tail, tail_bytes);
  ring_writer::publish(*at, ticket);
  to.bell->ring();
  return post::done;
}

post context::send(const message& out) noexcept {
  switch (out.kind) {
    case category::short_:
      return put_cell(out, cell_kind::short_, nullptr, 0);
    case category::long_: {
      const long_location where{out.address, out.bytes};
      return put_cell(out, cell_kind::long_, &where, sizeof where);
    }
    case category::medium:
      break;
  }
  if (args_bytes(out.nargs) + out.bytes <= cell::data_bytes) {
    return put_cell(out, cell_kind::medium_inline, out.payload, out.bytes);
  }
  return send_block(out);
}

post context::send_block(const message& out) noexcept {
  // Look for room before copying: a full ring should cost nothing.
  if (!peers_[out.target].rings[index_of(out.via)].has_room()) return post::retry;
  const staging buffer = prepare(out.via, out.bytes);
  if (buffer.data == nullptr) return post::retry;
  std::memcpy(buffer.data, out.payload, out.bytes);
  const post result = commit(buffer, out);
  if (result == post::retry) cancel(buffer);
  return result;
}

staging context::prepare(channel via, std::size_t bytes) noexcept {
  pool_owner& pool = pools_[index_of(via)];
  const std::uint32_t block = pool.claim(bytes);
  if (block == pool_owner::none) return {};
  return {.data = pool.memory().block(block),
          .bytes = pool_memory::room(block),
          .block = block,
          .via = via};
}

post context::commit(const staging& buffer, const message& out) noexcept {
  pools_[index_of(buffer.via)].hand_over(buffer.block);
  return put_cell(out, cell_kind::medium_block, &buffer.block, sizeof buffer.block);
}

void context::cancel(const staging& buffer) noexcept {
  pools_[index_of(buffer.via)].memory().free(buffer.block);
}

std::size_t context::poll(bool replies_only) noexcept {
  std::size_t delivered = drain(channel::reply);
  if (!replies_only) delivered += drain(channel::request);
  return delivered;
}

std::size_t context::drain(channel via) noexcept {
  ring_reader& inbox = inbox_[index_of(via)];
  cell taken;
  std::size_t delivered = 0;
  while (delivered < drain_max && inbox.pop(taken)) {
    deliver(taken, via);
    ++delivered;
  }
  return delivered;
}

void context::deliver(cell& taken, channel via) noexcept {
  arrival in{.source = taken.source,
             .via = via,
             .handler = taken.handler,
             .nargs = taken.nargs,
             .endpoint = taken.endpoint,
             .args = reinterpret_cast<const std::uint32_t*>(taken.data),
             .bytes = taken.bytes};
  std::byte* tail = taken.data + args_bytes(taken.nargs);
  switch (taken.kind) {
    case cell_kind::short_:
      to_.deliver(in);
      return;
    case cell_kind::medium_inline:
      in.kind = category::medium;
      in.payload = tail;
      to_.deliver(in);
      return;
    case cell_kind::long_: {
      long_location where;
      std::memcpy(&where, tail, sizeof where);
      in.kind = category::long_;
      in.payload = reinterpret_cast<void*>(where.address);
      in.bytes = where.bytes;
      to_.deliver(in);
      return;
    }
    case cell_kind::medium_block: {
      std::uint32_t block;
      std::memcpy(&block, tail, sizeof block);
      pool_memory& pool = pool_of(memory_, taken.source, shape_, via);
      in.kind = category::medium;
      in.payload = pool.block(block);
      to_.deliver(in);
      pool.free(block);
      return;
    }
  }
}

}  // namespace atl::transport::shm
