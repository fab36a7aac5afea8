// SPDX-License-Identifier: BSD-3-Clause
//
// Progress of vectors, for variants that read partners' vectors in place: a rank tells its partners
// how many blocks of its vector are final, and when it has read all of theirs, by counters that
// only grow, in the partners' memory.
//
// Two orders keep it right. A block's numbers are written, then comes a fence, then the counter
// `arrived`, which is read with acquire before the block is. A vector is read for the last time,
// then comes a fence, then the counter `consumed`, which is read with acquire before the vector
// changes.
//
// It cannot deadlock: blocks are offered without waiting, and begin() waits only for partners that
// have all blocks they need. One thread per rank.
#pragma once

#include <apps/spin/exchange.hpp>
#include <apps/spin/pgas/mailbox.hpp>
#include <apps/spin/pgas/shared_area.hpp>

#include <vector>

namespace spin {

class vector_progress {
 public:
  /// Collective, since all ranks divide their areas in the same way.
  vector_progress(atl::runtime& job, shared_area& area, const exchange_shape& shape);

  static std::size_t bytes(const exchange_shape& shape) noexcept {
    return shape.partners * sizeof(mailbox);
  }

  /// A new vector: waits until no partner reads the one that its memory held before.
  void begin();
  /// The first `blocks` of this rank's vector are final.
  void offer(std::size_t blocks);
  bool is_final(unsigned partner, std::size_t block) const noexcept {
    return read_counter(channels_[partner].reported->arrived) > round_first_ + block;
  }
  /// Waits until the block is final on all partners.
  void wait_for(std::size_t block);
  /// All partners' blocks have been read.
  void finish();

  std::int64_t waited_ns() const noexcept { return waited_ns_; }

 private:
  struct channel {
    atl::rank_id partner;
    const mailbox* reported;  // this rank's, which the partner writes
    mailbox* report;          // the partner's
  };

  template <class Ready>
  void wait_until(Ready ready);

  atl::runtime& job_;
  std::size_t blocks_;  // of a vector
  std::vector<channel> channels_;
  std::uint64_t round_first_ = 0;  // number of the round's first block, since the start
  std::uint64_t next_round_ = 0;
  std::int64_t waited_ns_ = 0;
};

}  // namespace spin
