// SPDX-License-Identifier: BSD-3-Clause
//
// One rank's block of a distributed array, with its halo, and the exchange that fills the halo.
//
// A border goes directly into the neighbour's memory, by stores where that is mapped. Rows go to
// their place in the neighbour's halo. Columns and corners would touch a cache line for every few
// numbers on both sides, so they travel packed, and the receiver unpacks them. A rank sends to
// itself by one copy. Then each neighbour is signalled once (handshake.hpp); nothing else
// synchronises ranks.
//
// The assignment to a block is computed late: in the block's own exchange, so that the border is
// computed first and is sent while the rest is computed. When the halo of the source has not
// arrived yet, the part that does not need it is computed first instead. Reading the data, or
// changing the source, also starts the computation.
//
// Rule: between two exchanges of one block, a rank computes from it and then exchanges the result,
// as happens when two arrays alternate. Then a border never overwrites a halo that is still read:
// its sender has received this rank's border of the exchange in between.
//
// One thread per rank. Making one is collective over the arena's team.
#pragma once

#include <apps/stencil2d/copy_rows.hpp>
#include <apps/stencil2d/handshake.hpp>
#include <apps/stencil2d/shape.hpp>
#include <apps/trial/arena.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace stencil2d {

using trial::arena;

class halo_block {
 public:
  static std::size_t bytes_needed(const layout& domain) {
    const block largest = domain.block_of(0);
    std::size_t bytes = arena::bytes_of(largest.elements, sizeof(double));
    for (std::size_t d = 0; d < directions.size(); ++d)
      bytes += 2 * arena::bytes_of(largest.halo(d).points(), sizeof(double));
    return bytes + handshake::bytes_needed;
  }

  halo_block(arena& from, const layout& domain, unsigned rank)
      : job_(from.job()),
        shape_(domain.block_of(rank)),
        cuts_(stencil2d::cut(shape_, domain.ranks)),
        memory_(from.take<double>(domain.block_of(0).elements)),
        flags_(from, domain, rank) {
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const std::size_t points = domain.block_of(0).halo(d).points();
      boxes_[d] = {from.take<double>(points), from.take<double>(points)};
    }
    for (std::size_t d = 0; d < directions.size(); ++d) connect(from, domain, rank, d);
  }
  halo_block(const halo_block&) = delete;
  halo_block& operator=(const halo_block&) = delete;

  /// Computes points of `out` from `in` and its halo; both are starts of a block's memory.
  struct operation {
    const void* stencil = nullptr;
    void (*apply)(const void* stencil, const double* in, double* out, const rect& region) = nullptr;
  };

  /// From now on this block is the result of `work` on `source`, which has been exchanged.
  /// `work.stencil` must live until the result is computed.
  void assign(const operation& work, halo_block& source) {
    settle();
    complete();
    pending_ = work;
    reads_ = &source;
    source.reader_ = this;
  }

  /// The values, computed; the halo is not a part of them.
  double* data() {
    settle();
    complete();
    return memory_;
  }

  /// Computes a pending assignment, sends the border to all neighbours, and returns without waiting
  /// for theirs.
  void exchange() {
    settle();
    if (reads_ != nullptr) {
      compute(true);
    } else {
      send();
    }
    for (const link& each : links_)
      if (each.own) copy(each);
  }

  /// Completes all sends; call it before the array ends.
  void finish() {
    complete();
    flags_.finish_puts();
  }

 private:
  // The exchange with the neighbour in one direction.
  struct link {
    atl::rank_id rank = 0;
    std::ptrdiff_t border = 0;  // in the own memory
    extent sends = {};
    rows_at<double> place = {};      // where this rank copies it
    double* remote_inbox = nullptr;  // the owner's address to which `place` is then put
    const double* inbox = nullptr;   // where the neighbour's numbers arrive; null: in the halo
    std::ptrdiff_t halo = 0;
    extent gets = {};
    bool own = false;  // to itself
  };
  struct boxes {
    double* in = nullptr;
    double* out = nullptr;
  };

  void connect(const arena& from, const layout& domain, unsigned rank, std::size_t direction) {
    const std::size_t back = opposite(direction);
    const atl::rank_id peer = domain.neighbour(rank, direction);
    const block remote = domain.block_of(peer);
    const rect border = shape_.border(direction);
    const rect halo = shape_.halo(direction);
    const rect remote_halo = remote.halo(back);
    link made{.rank = peer, .border = shape_.offset(border.x0, border.y0)};
    made.sends = {border.width(), border.height()};
    made.halo = shape_.offset(halo.x0, halo.y0);
    made.gets = {halo.width(), halo.height()};
    double* const its_memory = from.local_address(peer, from.peer_address(peer, memory_));
    double* const its_inbox = from.peer_address(peer, boxes_[back].in);
    const bool packed = its_memory == nullptr || directions[direction].x != 0;
    if (peer == rank) {
      made.own = true;
      made.place = {memory_ + remote.offset(remote_halo.x0, remote_halo.y0), remote.pitch};
    } else if (!packed) {
      made.place = {its_memory + remote.offset(remote_halo.x0, remote_halo.y0), remote.pitch};
    } else {
      made.inbox = boxes_[direction].in;
      made.place = {from.local_address(peer, its_inbox), made.sends.x};
    }
    if (made.place.first == nullptr) {
      made.remote_inbox = its_inbox;
      made.place.first = boxes_[direction].out;
    }
    links_.push_back(made);
  }

  static constexpr std::size_t worth_cutting = 2048;  // points; fewer take less time than the check

  // If another block's pending operation reads this block, computes it before the values change.
  void settle() {
    if (reader_ != nullptr) reader_->complete();
  }

  void complete() {
    if (reads_ != nullptr) compute(false);
  }

  void compute(bool and_send) {
    halo_block& from = *std::exchange(reads_, nullptr);
    from.reader_ = nullptr;
    const auto apply = [&](const rect& region) {
      pending_.apply(pending_.stencil, from.memory_, memory_, region);
    };
    const bool inner_first = cuts_.inner.points() >= worth_cutting && !from.has_halo();
    if (inner_first) apply(cuts_.inner);
    from.wait();
    for (const rect& side : cuts_.sides) apply(side);
    if (and_send) send();
    if (!inner_first) apply(cuts_.inner);
  }

  void copy(const link& to) noexcept {
    copy_rows(to.place, {memory_ + to.border, shape_.pitch}, to.sends);
  }

  // Sends the borders to other ranks.
  void send() noexcept {
    for (const link& to : links_) {
      if (to.own) continue;
      copy(to);
      if (to.remote_inbox == nullptr) continue;
      const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(to.sends.x * to.sends.y);
      atl::put_nbi(job_.primordial(), to.rank, to.remote_inbox, to.place.first, bytes);
    }
    awaited_ = flags_.notify_all();
  }

  bool has_halo() const noexcept { return flags_.have_all_reached(awaited_); }

  // Waits until the halo is complete.
  void wait() {
    flags_.wait_all(awaited_);
    for (const link& from : links_) {
      if (from.inbox != nullptr)
        copy_rows({memory_ + from.halo, shape_.pitch}, {from.inbox, from.gets.x}, from.gets);
    }
  }

  atl::runtime& job_;
  block shape_;
  cut_block cuts_;
  double* memory_;
  handshake flags_;
  std::array<boxes, 8> boxes_;
  std::vector<link> links_;
  std::uint64_t awaited_ = 0;     // the point of the last exchange
  operation pending_;             // the assignment that is not computed yet
  halo_block* reads_ = nullptr;   // its source; null: nothing is pending
  halo_block* reader_ = nullptr;  // whose pending operation reads this block
};

}  // namespace stencil2d
