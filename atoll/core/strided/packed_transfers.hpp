// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous transfers over medium active messages: the core uses them for a peer whose memory
// is not mapped (ATOLL_RMA_PATH=am: for all). Bytes are gathered straight into a message's buffer
// and scattered straight out of it. A message says where its bytes go, so neither side keeps
// anything between messages, and a transfer of any size takes no memory.
//
// Put: a message holds a row, its bytes, the next row, and so on; the target scatters the bytes and
// replies, which ends the piece. Get: a message holds the rows to read at the target and the rows
// to fill here; the target gathers the first and sends them back with the second. Neighbouring rows
// are joined on the way.
//
// The target counts the messages of a put with a notice, because they may be handled in any order
// and by several threads: when as many have been handled as the notice says, its handler runs. The
// target keeps only this count, from the first message of such a put to its last.
#pragma once

#include <atoll/core/am/am.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/core/strided/rows.hpp>
#include <atoll/core/strided/strided.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace atl {

/// A row as it travels; the address is of the process where it lies.
struct wire_row {
  std::uint64_t address;
  std::int64_t stride;
  std::uint32_t bytes;
  std::uint32_t count;

  static wire_row from_row(const run_row& row) noexcept;
  run_row local() const noexcept {
    return {.address = address, .bytes = bytes, .count = count, .stride = std::ptrdiff_t{stride}};
  }
  std::size_t total() const noexcept { return std::size_t{bytes} * count; }

  /// Joins the next row to this one if both together are one row; false if not.
  bool join(const wire_row& next) noexcept;
};

/// A transfer to make: its peer, its size and its options.
struct packed_order {
  rank_id peer;
  std::size_t bytes;          // in all
  std::size_t rows;           // roughly: for the room that the first message should have
  bool immediate = false;     // refuse when the first message finds no room
  std::uint8_t endpoint = 0;  // the endpoint whose handler a notice is for
  const put_notice* notice = nullptr;
  bool on_device = false;  // the peer's memory is a device's: device_transfers handles the messages
};

class packed_transfers {
 public:
  /// Registers its handlers in `system`, the runtime's own endpoint.
  packed_transfers(runtime& owner, endpoint& system);

  /// Starts a transfer between two streams of order.bytes bytes, counting its messages in `record`.
  /// False: refused. `Rows` is one of those in rows.hpp.
  template <class Rows>
  bool start_put(const packed_order& order, row_walker<Rows> remote, row_walker<Rows> local,
                 operation& record) noexcept;
  template <class Rows>
  bool start_get(const packed_order& order, row_walker<Rows> remote, row_walker<Rows> local,
                 operation& record) noexcept;

  /// Sends the notice of a put that took no messages.
  void notify(const packed_order& order) noexcept { send_notice(order, next_id(), 0); }

 private:
  /// A put with a notice that is arriving.
  struct arriving {
    std::uint32_t handled = 0;
    std::uint32_t expected = 0;
    bool noticed = false;
    handler_id handler = 0;
    std::uint8_t endpoint = 0;
    std::size_t bytes = 0;
    alignas(8) std::array<std::byte, put_notice::bytes_max> payload = {};
  };

  void send_notice(const packed_order& order, std::uint32_t id, std::uint32_t messages) noexcept;
  std::uint32_t next_id() noexcept {
    const std::uint32_t id = next_id_.fetch_add(1, std::memory_order_relaxed);
    return id != 0 ? id : next_id();
  }

  static void on_put(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);
  static void on_notice(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);
  static void on_get(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);
  static void on_get_data(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);

  template <class Change>
  void note(rank_id source, std::uint32_t id, Change change);

  runtime& owner_;
  endpoint& system_;
  std::atomic<std::uint32_t> next_id_ = 1;  // 0: without a notice; relaxed, it publishes nothing
  std::mutex guard_;                        // of arriving_
  std::unordered_map<std::uint64_t, arriving> arriving_;
};

}  // namespace atl
