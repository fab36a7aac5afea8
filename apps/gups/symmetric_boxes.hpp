// SPDX-License-Identifier: BSD-3-Clause
//
// OpenSHMEM: updates gathered by owner and put into a box that the owner has for the sender, with a
// signal that carries the turn and the number of updates. All ranks go turn by turn, and in each
// turn send to every other rank, even if nothing but the signal.
//
// A box has two halves, used in turn, and needs no acknowledgements: a rank begins a turn after the
// updates of the turn before have arrived from all ranks, and those were sent after their senders
// had emptied all boxes of the turn before that.
#pragma once

#include <apps/gups/options.hpp>
#include <apps/gups/table.hpp>

#include <atoll/base/error.hpp>

#include <shmem.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace gups {

class symmetric_boxes {
 public:
  static constexpr const char* name = "shmem_boxes";
  static constexpr memory placement = memory::at_owner;

  /// Collective; `block_size` is the most updates of one turn.
  symmetric_boxes(const table& global_table, std::size_t block_size)
      : table_(global_table),
        ranks_(static_cast<std::size_t>(shmem_n_pes())),
        block_size_(block_size),
        words_(static_cast<word*>(shmem_malloc(2 * ranks_ * block_size * sizeof(word)))),
        signals_(static_cast<word*>(shmem_calloc(2 * ranks_, sizeof(word)))),
        filled_(ranks_),
        boxes_(ranks_, std::vector<word>(block_size)) {
    if (words_ != nullptr && signals_ != nullptr) return;
    release();
    throw atl::error("gups: boxes for the updates of all ranks", "the symmetric heap has no room",
                     "use a smaller --look-ahead or raise ATOLL_SEGMENT_LIMIT");
  }
  symmetric_boxes(const symmetric_boxes&) = delete;
  symmetric_boxes& operator=(const symmetric_boxes&) = delete;
  ~symmetric_boxes() { release(); }

  /// Does these updates of this rank, and those that others send in the same turn; collective.
  void update(std::span<const word> updates) {
    sort(updates);
    const auto own = static_cast<std::size_t>(shmem_my_pe());
    for (std::size_t step = 1; step < ranks_; ++step) send((own + step) % ranks_);
    const word mask = table_.words() - 1;
    apply_updates(table_.local_part(), mask, std::span(boxes_[own]).first(filled_[own]));
    for (std::size_t step = 1; step < ranks_; ++step) {
      apply_updates(table_.local_part(), mask, received((own + ranks_ - step) % ranks_));
    }
    ++turn_;
  }

 private:
  static constexpr unsigned count_bits = 16;  // of a signal; the turn's number is above them
  static_assert(lookahead_max < std::size_t{1} << count_bits);

  /// The number of the half box, of this turn, for what `sender` sends.
  std::size_t half_box(std::size_t sender) const noexcept { return 2 * sender + turn_ % 2; }

  void sort(std::span<const word> updates) {
    std::fill(filled_.begin(), filled_.end(), 0);
    for (const word update : updates) {
      const auto to = static_cast<std::size_t>(table_.owner(table_.target(update)));
      boxes_[to][filled_[to]++] = update;
    }
  }

  void send(std::size_t owner) {
    const std::size_t half = half_box(static_cast<std::size_t>(shmem_my_pe()));
    const word signal = (turn_ + 1) << count_bits | filled_[owner];
    shmem_uint64_put_signal(words_ + half * block_size_, boxes_[owner].data(), filled_[owner],
                            signals_ + half, signal, SHMEM_SIGNAL_SET, static_cast<int>(owner));
  }

  std::span<const word> received(std::size_t sender) const {
    const std::size_t half = half_box(sender);
    const word signal =
        shmem_signal_wait_until(signals_ + half, SHMEM_CMP_GE, (turn_ + 1) << count_bits);
    const word count = signal & ((word{1} << count_bits) - 1);
    return {words_ + half * block_size_, count};
  }

  void release() {
    shmem_free(signals_);
    shmem_free(words_);
  }

  const table& table_;
  std::size_t ranks_;
  std::size_t block_size_;
  word* words_;    // symmetric: two halves of a block for each sender
  word* signals_;  // symmetric: one for each half
  word turn_ = 0;
  std::vector<std::size_t> filled_;
  std::vector<std::vector<word>> boxes_;  // per rank, each with room for all updates
};

}  // namespace gups
