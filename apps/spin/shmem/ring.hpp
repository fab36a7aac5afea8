// SPDX-License-Identifier: BSD-3-Clause
//
// Multi-buffered puts in OpenSHMEM. Each PE has one ring of blocks per partner, which that partner
// fills: it starts a non-blocking put as soon as a block is computed and there is room; the reader
// puts back a counter of the blocks that it has read. The ring that a PE fills at a partner and the
// one that this partner fills here have the same symmetric address, so there is one ring per
// flipped bit.
//
// The variants decide how a block's arrival is signalled.
#pragma once

#include <apps/spin/exchange.hpp>

#include <shmem.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace spin {

/// Memory of the symmetric heap, zeroed. Allocation is collective, and so is release.
template <class Element>
class symmetric {
 public:
  /// Throws `atl::error`, on all PEs, when there is no memory.
  explicit symmetric(std::size_t count);
  symmetric(const symmetric&) = delete;
  symmetric& operator=(const symmetric&) = delete;
  ~symmetric() { shmem_free(first_); }

  Element* data() const noexcept { return first_; }
  Element& operator[](std::size_t index) const noexcept { return first_[index]; }

 private:
  Element* first_;
};

namespace shm {

class ring : public exchange {
 public:
  explicit ring(const exchange_shape& shape);

  void begin(const double* vector) override;
  void offer(std::size_t blocks) override;
  block_streams wait_for(std::size_t block) override;
  void release(std::size_t block) override;
  void finish() override;
  void settle() override { shmem_quiet(); }

 protected:
  /// One partner. Blocks are numbered since the start; block s uses place s % buffers.
  struct channel {
    unsigned bit;
    int partner;
    double* places;            // symmetric: filled by the partner here, and by this PE there
    std::uint64_t posted = 0;  // puts started
  };

  /// Starts the put of the channel's next block.
  virtual void post(channel& to) = 0;
  /// Called after puts have been started to some channels.
  virtual void posted() {}
  virtual bool has_arrived(const channel& from, std::uint64_t number) = 0;
  /// Waits until something of a block that is not here arrives.
  virtual void await(const channel& from, std::uint64_t number) = 0;
  /// Called before a place is given back to the partner.
  virtual void clear(const channel&, std::uint64_t) {}

  std::size_t place_of(std::uint64_t number) const noexcept {
    return number % shape_.buffers * shape_.block_elements;
  }
  const double* block_of(std::uint64_t number) const noexcept {
    return vector_ + (number - round_first_) * shape_.block_elements;
  }
  const std::vector<channel>& channels() const noexcept { return channels_; }

 private:
  /// Starts all puts for which there is room; returns whether all offered blocks are started.
  bool pump();

  symmetric<double> places_;
  symmetric<std::uint64_t> consumed_;  // by each partner, counters 8 words apart
  std::vector<channel> channels_;
  std::vector<const double*> streams_;  // what wait_for returns
  const double* vector_ = nullptr;
  std::uint64_t round_first_ = 0;  // number of the round's first block
  std::uint64_t offered_ = 0;      // number after the last block that may be put
};

}  // namespace shm
}  // namespace spin
