// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets and long messages over medium active messages alone: what the core does for a peer
// whose memory is not mapped, on a transport that offers nothing better. ATOLL_RMA_PATH=am forces
// it between all ranks, which keeps it tested on every machine.
//
// A transfer is cut into pieces of at most one medium. Put: each piece names where it goes and the
// record at the source; the target stores it and replies, the reply ends the piece. Get: each piece
// asks for a range and the reply carries it. Long: pieces arrive in any order and on any thread, so
// the target collects them per message and runs the handler when the last byte is in.
#pragma once

#include <atoll/core/am/am.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/core/strided/packed_transfers.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

namespace atl {

class reference_transfers {
 public:
  /// Registers its handlers in the runtime's own endpoint.
  explicit reference_transfers(runtime& owner);

  /// Starts a put or get of `bytes`, counting its pieces in `record`. With `immediate` returns
  /// false, and nothing has happened, when the first piece finds no room; later pieces wait.
  bool start_put(rank_id target, void* to, const void* from, std::size_t bytes, operation& record,
                 bool immediate) noexcept;
  bool start_get(void* to, rank_id target, const void* from, std::size_t bytes, operation& record,
                 bool immediate) noexcept;

  /// Sends a long message as pieces, on the channel that it names.
  bool send_long(const am_message& out, bool immediate) noexcept;

  /// The non-contiguous transfers.
  packed_transfers& packed() noexcept { return packed_; }

 private:
  /// A long message that is arriving.
  struct assembly {
    transport::arrival head;  // complete when have_head
    std::uint32_t args[transport::max_args];
    std::uint64_t bytes_arrived = 0;
    bool have_head = false;
  };
  struct long_head;

  static void on_put_piece(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);
  static void on_put_done(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);
  static void on_get_piece(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);
  static void on_get_data(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);
  static void on_long_piece(void*, am_token&, const std::uint32_t*, unsigned, void*, std::size_t);

  void collect(am_token& token, const std::uint32_t* args, void* payload, std::size_t bytes);

  runtime& owner_;
  packed_transfers packed_;
  std::atomic<std::uint32_t> next_long_ = 0;
  std::mutex guard_;  // of assemblies_
  std::unordered_map<std::uint64_t, assembly> assemblies_;
};

}  // namespace atl
