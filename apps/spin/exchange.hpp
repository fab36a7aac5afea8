// SPDX-License-Identifier: BSD-3-Clause
//
// Flips of the high bits: a flip of bit local_bits + b joins every state of this rank with the one
// at the same place of rank XOR 2^b, so the whole vector of that partner is needed, block by block.
// Each rank puts its blocks into ring buffers that its partners own, one ring per bit, and then a
// counter of the blocks that arrived; the reader puts back a counter of the blocks it is done with.
// Both counters only grow and have one writer, and nothing else synchronises partners: no barrier,
// no message, and a rank may be a whole ring ahead of another.
//
//     begin(vector)   a new round: the vector that the partners shall get
//     offer(k)        its first k blocks are final; as many as there is room for are put
//     wait_for(k)     block k of all partners is here
//     release(k)      ... and has been read
//     finish()        all blocks are put: the vector may change
//
// One thread per rank.
#pragma once

#include <apps/spin/kernel.hpp>
#include <apps/spin/shared_area.hpp>
#include <atoll/core/rma.hpp>

#include <cstdint>
#include <vector>

namespace spin {

/// The same on every rank.
struct exchange_shape {
  unsigned partners = 0;           // the logarithm of the number of ranks
  std::size_t block_elements = 0;  // doubles per block
  std::size_t blocks = 0;          // blocks per vector
  std::size_t buffers = 0;         // blocks per ring
};

class exchange {
 public:
  exchange(atl::runtime& job, shared_area& area, const exchange_shape& shape);
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;

  /// What it takes from the shared area.
  static std::size_t bytes_needed(const exchange_shape& shape) noexcept;

  void begin(const double* vector) noexcept;
  void offer(std::size_t blocks) noexcept;
  block_streams wait_for(std::size_t block);
  void release(std::size_t block) noexcept;
  void finish();

  const exchange_shape& shape() const noexcept { return shape_; }
  /// What this rank has put, counters not included.
  std::uint64_t put_bytes() const noexcept { return blocks_put_ * block_bytes(); }
  /// Time in which this rank had nothing to do but to wait for partners.
  std::int64_t waited_ns() const noexcept { return waited_ns_; }

 private:
  // Where a partner reports; each counter has a cache line of its own, because it is written by
  // another core. Read by atomic_ref, written by puts.
  struct mailbox {
    alignas(64) std::uint64_t arrived;   // blocks put into the ring here, since the start
    alignas(64) std::uint64_t consumed;  // blocks that the partner has read from its ring
  };

  // One partner. Blocks are numbered since the start; block s uses place s % buffers.
  struct channel {
    atl::rank_id partner;
    const double* ring;       // mine, which the partner fills
    const mailbox* reported;  // mine, which the partner writes
    double* partner_ring;
    mailbox* partner_reported;
    std::uint64_t posted = 0;        // puts started
    std::uint64_t announced = 0;     // of them, counted in the partner's `arrived`
    std::vector<atl::event> events;  // of the puts under way
  };

  std::size_t block_bytes() const noexcept { return shape_.block_elements * sizeof(double); }
  void pump() noexcept;
  void post(channel& to) noexcept;
  void announce(channel& to) noexcept;
  template <class Ready>
  void wait_until(Ready ready);

  atl::runtime& job_;
  exchange_shape shape_;
  std::vector<channel> channels_;
  std::vector<const double*> streams_;  // what wait_for returns
  const double* vector_ = nullptr;
  std::uint64_t round_first_ = 0;  // number of the round's first block
  std::uint64_t offered_ = 0;      // number after the last block that may be put
  std::uint64_t blocks_put_ = 0;
  std::int64_t waited_ns_ = 0;
};

}  // namespace spin
