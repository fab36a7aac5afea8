// SPDX-License-Identifier: BSD-3-Clause
//
// The pieces of operations that are under way at other ranks. A message or a transfer of the
// network names a piece, not the operation itself, so that all that waits for a rank can be ended
// when that rank is lost. A piece ends once: by the answer, or by the loss, whichever claims it
// first. A handler therefore claims a piece before it stores what the answer brings.
//
// A piece that ended by a loss is never used again, because an answer may still come for it. The
// network ends the pieces of its own transfers (receiver::abandon), since it may write to their
// memory until then.
//
// Threads: any. A piece begins under the lock that a loss holds, so no piece at a lost rank is
// missed. With one thread there is no lock.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/core/progress/event.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace atl {

/// The means by which a piece travels.
enum class piece_way : std::uint8_t { messages, network };

/// One piece under way.
struct piece {
  std::atomic<operation*> part_of = nullptr;  // null: not under way
  rank_id peer = no_rank;
  piece_way way = piece_way::messages;
  piece* next = nullptr;  // of those that are free
};

class piece_table {
 public:
  explicit piece_table(bool threaded) noexcept : threaded_(threaded) {}

  /// Counts a piece at `peer` in the record. Null when the peer is lost: then the record has the
  /// status peer_lost, and nothing is to be sent. Ends the process when memory is exhausted.
  piece* begin(operation& record, rank_id peer, piece_way way = piece_way::messages) noexcept;

  /// Ends a piece; does nothing when its peer was lost before.
  void end(piece& ended, operation_status status = operation_status::done) noexcept {
    if (operation* const record = claim(ended)) {
      give_back(ended);
      record->end_piece(status);
    }
  }

  /// The same, and calls store() before, when the piece is still under way: what the answer brings
  /// is to be stored.
  template <class Store>
  void end_after(piece& ended, Store store) noexcept {
    if (operation* const record = claim(ended)) {
      store();
      give_back(ended);
      record->end_piece();
    }
  }

  /// Ends all pieces that messages were to end at this peer, and begins none there from now on.
  void lose(rank_id peer) noexcept;

  /// The number of pieces for which there is memory, for tests.
  std::size_t made() noexcept;

 private:
  class table_lock;
  static constexpr std::size_t chunk_pieces = 256;

  /// Acquire: pairs with the release in begin(), whichever way the piece's address has come.
  static operation* claim(piece& ended) noexcept {
    return ended.part_of.exchange(nullptr, std::memory_order_acq_rel);
  }
  void give_back(piece& ended) noexcept;
  void make_chunk() noexcept;
  bool is_lost(rank_id peer) const noexcept;

  bool threaded_;
  std::mutex guard_;  // of what follows, where there are several threads
  piece* free_ = nullptr;
  std::vector<std::unique_ptr<piece[]>> chunks_;
  std::vector<rank_id> lost_;  // few, mostly none
};

}  // namespace atl
