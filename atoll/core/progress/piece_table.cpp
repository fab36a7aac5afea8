// SPDX-License-Identifier: BSD-3-Clause
//
// Chunks of pieces, and a list of those that are free. A loss looks at all pieces: it is rare, and
// so needs no list of the pieces of each rank.
#include <atoll/core/progress/piece_table.hpp>

#include <algorithm>

namespace atl {

// The lock, where there is more than one thread.
class piece_table::table_lock {
 public:
  explicit table_lock(piece_table& table) noexcept
      : guard_(table.threaded_ ? &table.guard_ : nullptr) {
    if (guard_ != nullptr) guard_->lock();
  }
  table_lock(const table_lock&) = delete;
  table_lock& operator=(const table_lock&) = delete;
  ~table_lock() {
    if (guard_ != nullptr) guard_->unlock();
  }

 private:
  std::mutex* guard_;
};

piece* piece_table::begin(operation& record, rank_id peer, piece_way way) noexcept {
  record.add_piece();
  {
    const table_lock lock(*this);
    if (lost_.empty() || !is_lost(peer)) [[likely]] {
      if (free_ == nullptr) make_chunk();
      piece& begun = *free_;
      free_ = begun.next;
      begun.peer = peer;
      begun.way = way;
      begun.part_of.store(&record, std::memory_order_release);  // pairs with claim()
      return &begun;
    }
  }
  record.end_piece(operation_status::peer_lost);
  return nullptr;
}

void piece_table::give_back(piece& ended) noexcept {
  const table_lock lock(*this);
  ended.next = free_;
  free_ = &ended;
}

void piece_table::make_chunk() noexcept {
  chunks_.push_back(std::make_unique<piece[]>(chunk_pieces));
  for (std::size_t i = 0; i < chunk_pieces; ++i) {
    piece& made = chunks_.back()[i];
    made.next = free_;
    free_ = &made;
  }
}

bool piece_table::is_lost(rank_id peer) const noexcept {
  return std::ranges::find(lost_, peer) != lost_.end();
}

void piece_table::lose(rank_id peer) noexcept {
  const table_lock lock(*this);
  if (is_lost(peer)) return;
  lost_.push_back(peer);
  for (const auto& chunk : chunks_) {
    for (std::size_t i = 0; i < chunk_pieces; ++i) {
      piece& each = chunk[i];
      // Relaxed: claim() decides; a free piece may have any peer.
      const bool is_under_way = each.part_of.load(std::memory_order_relaxed) != nullptr;
      if (!is_under_way || each.peer != peer || each.way != piece_way::messages) continue;
      if (operation* const record = claim(each)) record->end_piece(operation_status::peer_lost);
    }
  }
}

std::size_t piece_table::made() noexcept {
  const table_lock lock(*this);
  return chunks_.size() * chunk_pieces;
}

}  // namespace atl
