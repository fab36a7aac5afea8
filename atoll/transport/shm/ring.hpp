// SPDX-License-Identifier: BSD-3-Clause
//
// A bounded queue of message cells in shared memory: many writers (all ranks of the host and their
// threads), one reader (the rank that owns it). Built for two things: the lowest latency of a
// single message, so the flag that says "here" sits in the cache line of the data and one line
// crosses between the cores; and a steady flood, so neither side reads a line that the other one
// writes except the cells themselves.
//
// A writer takes a ticket t by moving `tail` from t to t+1, only when t - head < cells, so a ticket
// is never given back and a full queue refuses at once. It fills cell t mod cells and then stores
// sequence t+1 (release). The reader waits for sequence == next+1 (acquire) and handles the cell in
// place (one reading thread) or copies it out first (several), then moves on; it writes nothing
// into cells. Now and then it stores `head` (release), which tells the writers (acquire) that cells
// up to there may be overwritten; each writer keeps its last view of head and looks again only when
// the queue seems full. A rank that finds it full leaves its mark in `waiting`, and the reader's
// rank rings for it when half of the queue is free. All-zero memory is an empty ring.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/threads/race_annotations.hpp>
#include <atoll/transport/message.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace atl::transport::shm {

/// How a cell carries its payload; the first three are those of transport::category.
enum class cell_kind : std::uint8_t { short_, medium_inline, long_, medium_block };

/// One message: two cache lines, of which a short message touches only the first.
struct alignas(2 * cache_line) ring_cell {
  static constexpr std::size_t data_bytes = 112;

  std::atomic<std::uint32_t> sequence;
  rank_id source;
  channel via;
  cell_kind kind;
  std::uint8_t handler;
  std::uint8_t nargs;
  std::uint32_t where_and_bytes;  // crossing : 7, endpoint : 7, payload size of a medium : 18
  std::byte data[data_bytes];     // arguments, then (8-byte aligned) payload or where it is

  static constexpr std::uint32_t bytes_mask = (1u << 18) - 1;

  /// The most bytes of the data that this message uses.
  std::size_t data_used() const noexcept {
    const std::size_t args = (4 * std::size_t{nargs} + 7) / 8 * 8;
    if (kind == cell_kind::short_) return args;
    return args + (kind == cell_kind::medium_inline ? where_and_bytes & bytes_mask : 16);
  }
};
static_assert(sizeof(ring_cell) == 128);

/// The shared part of a ring; the cells follow it.
struct ring_memory {
  alignas(2 * cache_line) std::atomic<std::uint64_t> tail;
  alignas(2 * cache_line) std::atomic<std::uint64_t> head;
  alignas(2 * cache_line) std::atomic<std::uint64_t> waiting;  // a bit per rank, see mark_of

  /// The bit of the rank at this place among those of the host; more than 64 ranks share bits.
  static std::uint64_t mark_of(rank_id place) noexcept { return std::uint64_t{1} << place % 64; }

  ring_cell& cell_at(std::uint64_t place) noexcept {
    return reinterpret_cast<ring_cell*>(this + 1)[place];
  }
  static std::size_t bytes(std::size_t cells) {
    return sizeof(ring_memory) + cells * sizeof(ring_cell);
  }
};

/// One process's sending end of one ring.
class ring_writer {
 public:
  /// `sole`: no other process and no other thread writes to this ring, so the ticket needs no
  /// atomic operation. `first` is its first ticket then: 0, but where a test begins near a wrap.
  ring_writer(ring_memory& memory, std::size_t cells, bool sole, std::uint64_t first = 0) noexcept
      : memory_(&memory), cells_(cells), sole_(sole), own_tail_(first) {}
  ring_writer(ring_writer&& other) noexcept
      : memory_(other.memory_),
        cells_(other.cells_),
        sole_(other.sole_),
        own_tail_(other.own_tail_) {}

  /// Takes the next cell and its ticket; null when the ring is full.
  ring_cell* claim(std::uint64_t& ticket) noexcept {
    if (sole_) {
      ticket = own_tail_;
      if (!room_at(ticket)) return nullptr;
      own_tail_ = ticket + 1;
      return &memory_->cell_at(ticket & (cells_ - 1));
    }
    if (!claim_shared(ticket)) return nullptr;
    ring_cell* const claimed = &memory_->cell_at(ticket & (cells_ - 1));
    ordered_after(claimed);
    return claimed;
  }

  /// Hands a filled cell to the reader.
  static void publish(ring_cell& filled, std::uint64_t ticket) noexcept {
    ordered_before(&filled);  // the next writer of this cell follows the reader in between
    // Pairs with the acquire load in ring_reader::front.
    filled.sequence.store(static_cast<std::uint32_t>(ticket + 1), std::memory_order_release);
  }

  /// Says that a rank waits for room. It looks for room again afterwards: its sleep has a limit,
  /// since a mark can be left too late to be seen.
  void wait_as(std::uint64_t mark) noexcept {
    // Relaxed: the doorbell that the rank sleeps at orders it before the sleep.
    if ((memory_->waiting.load(std::memory_order_relaxed) & mark) == 0)
      memory_->waiting.fetch_or(mark, std::memory_order_relaxed);
  }

  /// Whether claim() would find room now (another writer may still take it).
  bool has_room() noexcept {
    return room_at(sole_ ? own_tail_ : memory_->tail.load(std::memory_order_relaxed));
  }

 private:
  bool claim_shared(std::uint64_t& ticket) noexcept {
    ticket = memory_->tail.load(std::memory_order_relaxed);
    do {
      if (!room_at(ticket)) return false;
      // Relaxed: the ticket only names a cell; the cell's own sequence publishes its content.
    } while (!memory_->tail.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed));
    return true;
  }

  bool room_at(std::uint64_t ticket) noexcept {
    // Signed: another thread may have moved the view of head beyond a stale ticket.
    const auto used = [&](std::uint64_t head) { return static_cast<std::int64_t>(ticket - head); };
    // Acquire: the view may come from another thread of this process (the release below).
    if (used(seen_head_.load(std::memory_order_acquire)) < static_cast<std::int64_t>(cells_)) {
      return true;
    }
    // Pairs with the release store in ring_reader: it is done with the cells before we overwrite
    // them.
    const std::uint64_t head = memory_->head.load(std::memory_order_acquire);
    seen_head_.store(head, std::memory_order_release);
    return used(head) < static_cast<std::int64_t>(cells_);
  }

  ring_memory* memory_;
  std::uint64_t cells_;
  bool sole_;
  std::uint64_t own_tail_;                    // ticket counter when sole
  std::atomic<std::uint64_t> seen_head_ = 0;  // shared by this process's threads
};

/// The receiving end. `threaded`: several threads of the owner may call pop at the same time.
/// `first`: the first ticket, as for the writer.
class ring_reader {
 public:
  ring_reader(ring_memory& memory, std::size_t cells, bool threaded,
              std::uint64_t first = 0) noexcept
      : memory_(&memory),
        cells_(cells),
        lag_max_(cells / 8),
        threaded_(threaded),
        next_(first),
        published_(first) {}

  /// Whether a message is waiting; costs one load of a line that is in cache while nothing arrives.
  bool ready() const noexcept {
    const std::uint64_t next = next_.load(std::memory_order_relaxed);
    return arrived(next, std::memory_order_relaxed);
  }

  /// Whether a poll would find nothing: no message, and no freed cells that the writers do not
  /// know of.
  bool is_quiet() const noexcept {
    const std::uint64_t next = next_.load(std::memory_order_relaxed);
    return published_.load(std::memory_order_relaxed) == next &&
           !arrived(next, std::memory_order_relaxed);
  }

  /// The next message where it lies; null when there is none. For a single reading thread, which
  /// calls advance() when done with it, or pass() before it handles it and release() afterwards.
  ring_cell* front() noexcept {
    const std::uint64_t next = next_.load(std::memory_order_relaxed);
    // Pairs with ring_writer::publish: what the writer put into the cell is visible from here on.
    return arrived(next, std::memory_order_acquire) ? &memory_->cell_at(next & (cells_ - 1))
                                                    : nullptr;
  }
  void advance() noexcept {
    pass();
    release();
  }

  /// Moves on to the next message; the cell of this one stays the reader's until release().
  void pass() noexcept {
    next_.store(next_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  /// Gives back the cells of all messages that were passed: tells the writers now and then.
  void release() noexcept {
    const std::uint64_t next = next_.load(std::memory_order_relaxed);
    if (next - published_.load(std::memory_order_relaxed) >= lag_max_) store_head(next);
  }

  /// The marks of ranks that wait for room, once half of the queue is free; `head` has then been
  /// published. 0 while there are none.
  std::uint64_t take_waiting() noexcept {
    if (memory_->waiting.load(std::memory_order_relaxed) == 0) [[likely]]
      return 0;
    const std::uint64_t next = next_.load(std::memory_order_relaxed);
    if (arrived(next + cells_ / 2, std::memory_order_relaxed)) return 0;
    settle();
    return memory_->waiting.exchange(0, std::memory_order_relaxed);
  }

  /// Copies the next message out and frees its cell. False when there is none, or when another
  /// thread is taking it right now. For several reading threads.
  bool pop(ring_cell& out) noexcept {
    // Acquire: pairs with the clear below, of the thread that took the message before.
    if (busy_.test_and_set(std::memory_order_acquire)) return false;
    const ring_cell* const next = front();
    if (next != nullptr) {
      copy_out(*next, out);
      advance();
    }
    busy_.clear(std::memory_order_release);
    return next != nullptr;
  }

  /// Copies a cell without the sequence number.
  static void copy_out(const ring_cell& from, ring_cell& out) noexcept {
    constexpr std::size_t head = offsetof(ring_cell, source);
    constexpr std::size_t first_line = cache_line - head;
    auto* const to = reinterpret_cast<std::byte*>(&out) + head;
    const auto* const start = reinterpret_cast<const std::byte*>(&from) + head;
    std::memcpy(to, start, first_line);
    // Most messages end in the first line; the second one is read only when it is used.
    if (from.data_used() > first_line - (offsetof(ring_cell, data) - head))
      std::memcpy(to + first_line, start + first_line, sizeof(ring_cell) - cache_line);
  }

  /// Tells the writers how far the reader is, when they were not told yet; for an idle moment.
  void settle() noexcept {
    if (published_.load(std::memory_order_relaxed) == next_.load(std::memory_order_relaxed)) return;
    if (threaded_ && busy_.test_and_set(std::memory_order_acquire)) return;
    store_head(next_.load(std::memory_order_relaxed));
    if (threaded_) busy_.clear(std::memory_order_release);
  }

 private:
  bool arrived(std::uint64_t next, std::memory_order order) const noexcept {
    const ring_cell& slot = memory_->cell_at(next & (cells_ - 1));
    return slot.sequence.load(order) == static_cast<std::uint32_t>(next + 1);
  }

  void store_head(std::uint64_t next) noexcept {
    // Pairs with the acquire load in ring_writer::room_at.
    memory_->head.store(next, std::memory_order_release);
    published_.store(next, std::memory_order_relaxed);
  }

  ring_memory* memory_;
  std::uint64_t cells_;
  std::uint64_t lag_max_;  // head is told at least this often
  bool threaded_;
  std::atomic<std::uint64_t> next_;           // by the one reader, or under busy_
  std::atomic<std::uint64_t> published_;      // last value of head
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;  // one reading thread at a time
};

}  // namespace atl::transport::shm
