// SPDX-License-Identifier: BSD-3-Clause
//
// Sending and receiving over the rings. After the arguments (which are padded to 8 bytes), a cell's
// data holds nothing for a short message, the bytes of a small medium, the block number of a large
// one, and the address and size of a long one. Blocks always belong to the pool of the cell's
// source.
#include <atoll/transport/shm/context.hpp>

#include <atoll/base/copy.hpp>
#include <atoll/base/rounding.hpp>

#include <algorithm>
#include <cstring>

namespace atl::transport::shm {

namespace {

static_assert(pool_memory::large_bytes <= ring_cell::bytes_mask);

constexpr std::size_t drain_max = 64;  // messages per channel and poll: keeps a poll bounded

constexpr std::size_t index_of(channel via) { return static_cast<std::size_t>(via); }

constexpr std::size_t args_bytes(unsigned nargs) { return (4 * std::size_t{nargs} + 7) / 8 * 8; }

// Copies `via` to `nargs`, which lie in the same order in both, as one word.
void copy_head(const message& from, ring_cell& to) noexcept {
  static_assert(offsetof(message, nargs) - offsetof(message, via) == 3);
  static_assert(offsetof(ring_cell, nargs) - offsetof(ring_cell, via) == 3);
  std::memcpy(&to.via, &from.via, 4);
}

// Few words, often none: a call of memcpy would cost more than the copy.
void copy_args(std::byte* to, const std::uint32_t* from, unsigned nargs) noexcept {
  for (; nargs >= 2; nargs -= 2, to += 8, from += 2) std::memcpy(to, from, 8);
  if (nargs != 0) std::memcpy(to, from, 4);
}

void copy_small(std::byte* to, const void* from, std::size_t bytes) noexcept {
  if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else {
    std::memcpy(to, from, bytes);
  }
}

struct long_location {
  std::uint64_t address;
  std::uint64_t bytes;
};

// Where the parts of a control area are: the rank's page, two rings, two pools.
ring_memory& ring_of(memory::host_memory& memory, rank_id rank, const geometry& shape,
                     channel via) noexcept {
  std::byte* address = memory.control(rank) + memory::rank_page_bytes;
  address += index_of(via) * round_up(ring_memory::bytes(shape.ring_cells), page_bytes);
  return *reinterpret_cast<ring_memory*>(address);
}

pool_memory& pool_of(memory::host_memory& memory, rank_id rank, const geometry& shape,
                     channel via) noexcept {
  std::byte* address = memory.control(rank) + memory::rank_page_bytes +
                       2 * round_up(ring_memory::bytes(shape.ring_cells), page_bytes);
  return *reinterpret_cast<pool_memory*>(address + index_of(via) * sizeof(pool_memory));
}

}  // namespace

std::size_t geometry::control_bytes() const noexcept {
  return memory::rank_page_bytes + 2 * round_up(ring_memory::bytes(ring_cells), page_bytes) +
         2 * sizeof(pool_memory);
}

context::context(const context_options& use)
    : memory_(use.memory),
      shape_(use.shape),
      self_(use.self),
      threaded_(use.threaded),
      to_(use.to),
      first_(use.memory.layout().first),
      // With two ranks and one thread, this rank is the only one that ever writes to the other.
      is_sole_writer_(use.memory.layout().ranks == 2 && !use.threaded),
      peers_(use.memory.layout().ranks),
      inbox_{ring_reader(ring_of(use.memory, use.self, use.shape, channel::request),
                         use.shape.ring_cells, use.threaded),
             ring_reader(ring_of(use.memory, use.self, use.shape, channel::reply),
                         use.shape.ring_cells, use.threaded)},
      pools_{pool_owner(pool_of(use.memory, use.self, use.shape, channel::request), use.threaded),
             pool_owner(pool_of(use.memory, use.self, use.shape, channel::reply), use.threaded)} {}

context::neighbour context::make_peer(rank_id rank) const noexcept {
  const auto writer = [&](channel via) {
    return ring_writer(ring_of(memory_, rank, shape_, via), shape_.ring_cells, is_sole_writer_);
  };
  return {.rings = {writer(channel::request), writer(channel::reply)},
          .bell = &memory_.page(rank).bell};
}

// The reader rings for a rank that has left its mark (ring_for).
[[gnu::cold, gnu::noinline]] post context::mark_and_refuse(neighbour& to, channel via) noexcept {
  to.rings[index_of(via)].wait_as(ring_memory::mark_of(self_ - first_));
  return post::retry;
}

post context::put_cell(const message& out, cell_kind kind, const void* tail,
                       std::size_t tail_bytes) noexcept {
  neighbour& to = peer_of(out.target);
  std::uint64_t ticket;
  ring_cell* const slot = to.rings[index_of(out.via)].claim(ticket);
  if (slot == nullptr) return mark_and_refuse(to, out.via);
  slot->source = self_;
  copy_head(out, *slot);
  slot->kind = kind;
  slot->where_and_bytes = std::uint32_t{out.crossing} << 25 | std::uint32_t{out.endpoint} << 18 |
                          (static_cast<std::uint32_t>(out.bytes) & ring_cell::bytes_mask);
  copy_args(slot->data, out.args, out.nargs);
  if (tail_bytes != 0) copy_small(slot->data + args_bytes(out.nargs), tail, tail_bytes);
  // The other rank may react to this message by sending one to any thread of this rank, or by
  // meeting this rank in a barrier.
  ordered_before_other_ranks();
  ring_writer::publish(*slot, ticket);
  to.bell->ring();
  return post::done;
}

post context::send(const message& out) noexcept {
  if (out.kind == category::short_) [[likely]]
    return put_cell(out, cell_kind::short_, nullptr, 0);
  if (out.kind == category::long_) {
    const long_location location{out.address, out.bytes};
    return put_cell(out, cell_kind::long_, &location, sizeof location);
  }
  if (args_bytes(out.nargs) + out.bytes <= ring_cell::data_bytes) {
    return put_cell(out, cell_kind::medium_inline, out.payload, out.bytes);
  }
  return send_block(out);
}

post context::send_block(const message& out) noexcept {
  if (peer_of(out.target).is_dead()) return post::done;
  // Look for room before copying: a full ring should cost nothing.
  if (!has_room(out.target, out.via)) return mark_and_refuse(peer_of(out.target), out.via);
  const staging buffer = prepare(out.via, out.bytes);
  if (buffer.data == nullptr) return post::retry;
  copy_bytes(buffer.data, out.payload, out.bytes);
  const post result = commit(buffer, out);
  if (result == post::retry) cancel(buffer);
  return result;
}

staging context::prepare(channel via, std::size_t bytes) noexcept {
  pool_owner& pool = pools_[index_of(via)];
  const std::uint32_t block = pool.claim(bytes);
  if (block == pool_owner::no_block) {
    pool.memory().owner_waits.store(true, std::memory_order_relaxed);
    return {};
  }
  return {.data = pool.memory().block(block),
          .bytes = pool_memory::room(block),
          .block = block,
          .via = via};
}

post context::commit(const staging& buffer, const message& out) noexcept {
  if (peer_of(out.target).is_dead()) [[unlikely]] {
    cancel(buffer);
    return post::done;
  }
  pools_[index_of(buffer.via)].hand_over(buffer.block, out.target);
  return put_cell(out, cell_kind::medium_block, &buffer.block, sizeof buffer.block);
}

void context::cancel(const staging& buffer) noexcept {
  pools_[index_of(buffer.via)].memory().free(buffer.block);
}

// Short messages go on into the ring of the dead rank, until it is full; blocks are needed for
// messages to others.
void context::forget(rank_id rank) noexcept {
  const memory::host_layout& host = memory_.layout();
  if (rank < host.first || rank - host.first >= host.ranks || rank == self_) return;
  peer_of(rank).mark_dead();
  for (pool_owner& pool : pools_) pool.take_back(rank);
}

// Most polls find nothing: those cost two looks at lines that are in cache.
std::size_t context::poll(bool replies_only) noexcept {
  if (!inbox_[index_of(channel::reply)].is_quiet()) return drain_all(replies_only);
  if (replies_only || inbox_[index_of(channel::request)].is_quiet()) return 0;
  return drain_all(false);
}

[[gnu::noinline]] std::size_t context::drain_all(bool replies_only) noexcept {
  const std::size_t replies = drain(inbox_[index_of(channel::reply)]);
  return replies_only ? replies : replies + drain(inbox_[index_of(channel::request)]);
}

// Ranks that found a ring full sleep until half of it is free: where ranks share cores, each sleep
// costs a turn of the core. On a host of more than 64 ranks several share a mark, so that some are
// woken in vain.
[[gnu::cold, gnu::noinline]] void context::ring_for(std::uint64_t marks) noexcept {
  for (rank_id place = 0; place < memory_.layout().ranks; ++place)
    if ((marks & ring_memory::mark_of(place)) != 0) memory_.page(first_ + place).bell.ring();
}

std::size_t context::drain(ring_reader& inbox) noexcept {
  if (!inbox.ready()) {
    inbox.settle();  // when idle, not while a rank waits for an answer
    if (const std::uint64_t marks = inbox.take_waiting(); marks != 0) ring_for(marks);
    // Another thread that saw a message meanwhile was turned away by settle(): look again for it.
    if (!threaded_ || !inbox.ready()) return 0;
  }
  std::size_t delivered = 0;
  if (threaded_) {
    ring_cell taken;  // a copy: writers and other readers go on while the handler runs
    for (; delivered < drain_max && inbox.ready() && inbox.pop(taken); ++delivered)
      deliver(taken, true);
  } else {
    for (ring_cell* slot; delivered < drain_max && (slot = inbox.front()) != nullptr; ++delivered) {
      if (slot->kind == cell_kind::short_ || slot->kind == cell_kind::long_) {
        inbox.pass();  // before its handler, which may call exit(): what runs then may poll
        deliver(*slot, false);
        inbox.release();
      } else {  // its handler may want to poll again
        ring_cell taken;
        ring_reader::copy_out(*slot, taken);
        inbox.advance();
        deliver(taken, true);
      }
    }
  }
  if (const std::uint64_t marks = inbox.take_waiting(); marks != 0) ring_for(marks);
  return delivered;
}

void context::deliver(ring_cell& taken, bool taken_out) noexcept {
  ordered_after_other_ranks();
  std::byte* const tail = taken.data + args_bytes(taken.nargs);
  arrival in{.source = taken.source,
             .via = taken.via,
             .kind = static_cast<category>(taken.kind),
             .handler = taken.handler,
             .nargs = taken.nargs,
             .endpoint = static_cast<std::uint8_t>(taken.where_and_bytes >> 18 & 0x7f),
             .crossing = static_cast<std::uint8_t>(taken.where_and_bytes >> 25),
             .taken_out = taken_out,
             .args = reinterpret_cast<const std::uint32_t*>(taken.data),
             .payload = nullptr,
             .bytes = taken.where_and_bytes & ring_cell::bytes_mask};
  if (taken.kind == cell_kind::short_) [[likely]]
    return to_.deliver(in);
  if (taken.kind == cell_kind::medium_inline) {
    in.payload = tail;
    return to_.deliver(in);
  }
  if (taken.kind == cell_kind::long_) {
    long_location location;
    std::memcpy(&location, tail, sizeof location);
    in.payload = reinterpret_cast<void*>(location.address);
    in.bytes = location.bytes;
    return to_.deliver(in);
  }
  std::uint32_t block;
  std::memcpy(&block, tail, sizeof block);
  pool_memory& pool = pool_of(memory_, taken.source, shape_, taken.via);
  in.kind = category::medium;
  in.payload = pool.block(block);
  to_.deliver(in);
  pool.free(block);
  if (pool.owner_waits.load(std::memory_order_relaxed)) [[unlikely]] {
    pool.owner_waits.store(false, std::memory_order_relaxed);
    memory_.page(taken.source).bell.ring();
  }
}

}  // namespace atl::transport::shm
