// SPDX-License-Identifier: BSD-3-Clause
//
// Multi-buffered puts. Each rank has one ring of blocks per partner, which that partner fills: it
// puts blocks as soon as they are computed and there is room, and then a counter of the blocks that
// arrived; the reader puts back a counter of the blocks that it has read. Nothing else synchronises
// partners, and a rank may be a whole ring ahead of another.
//
// The variants decide how puts are made and when they are announced.
#pragma once

#include <apps/spin/exchange.hpp>
#include <apps/spin/pgas/mailbox.hpp>
#include <apps/spin/pgas/shared_area.hpp>
#include <atoll/core/rma/rma.hpp>

#include <algorithm>
#include <vector>

namespace spin {

class ring : public exchange {
 public:
  ring(atl::runtime& job, shared_area& area, const exchange_shape& shape);

  static std::size_t bytes(const exchange_shape& shape) noexcept;

  void begin(const double* vector) override;
  void offer(std::size_t blocks) override;
  block_streams wait_for(std::size_t block) override;
  void release(std::size_t block) override;
  void finish() override;
  void settle() override;

 protected:
  // One partner. Blocks are numbered since the start; block s uses place s % buffers.
  struct channel {
    unsigned bit;
    atl::rank_id partner;
    double* local;                   // the ring that the partner fills
    const mailbox* reported;         // this rank's, which the partner writes
    double* remote;                  // the partner's ring
    mailbox* report;                 // the partner's
    std::uint64_t posted = 0;        // puts started
    std::uint64_t announced = 0;     // puts that the partner knows of
    std::vector<atl::event> events;  // of the puts under way, by place
  };

  /// Puts blocks up to number `last` and announces what is complete, now or in later calls.
  virtual void move(channel& to, std::uint64_t last) = 0;
  /// Whether a block has arrived.
  virtual bool has_arrived(channel& from, std::uint64_t number) {
    return read_counter(from.reported->arrived) > number;
  }
  /// Called before a place is given back to the partner.
  virtual void clear(channel&, std::uint64_t) {}

  std::size_t place_of(std::uint64_t number) const noexcept {
    return number % shape_.buffers * shape_.block_elements;
  }
  const double* block_of(std::uint64_t number) const noexcept {
    return vector_ + (number - round_first_) * shape_.block_elements;
  }
  atl::event& event_of(channel& to, std::uint64_t number) const noexcept {
    return to.events[number % shape_.buffers];
  }
  /// Starts the put of the channel's next block.
  void post(channel& to) noexcept;
  void post_implicit(channel& to) noexcept;
  /// Tells the partner that all blocks before number `last` have arrived.
  void announce(channel& to, std::uint64_t last) noexcept;

  template <class Visit>
  void for_channels(Visit visit) {
    for (channel& each : channels_) visit(each);
  }

  atl::runtime& job_;

 private:
  void pump();
  template <class Ready>
  void wait_until(Ready ready);

  std::vector<channel> channels_;
  std::vector<const double*> streams_;  // what wait_for returns
  const double* vector_ = nullptr;
  std::uint64_t round_first_ = 0;  // number of the round's first block
  std::uint64_t offered_ = 0;      // number after the last block that may be put
};

}  // namespace spin
