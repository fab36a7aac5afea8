// SPDX-License-Identifier: BSD-3-Clause
//
// Flips of the high bits: a flip of bit local_bits + b joins every state of this rank with the one
// at the same place of rank XOR 2^b, so the whole vector of that partner is needed, block by block.
// The variants differ in how they move it; each is a class in pgas/, shmem/ or mpi/. All give the
// kernel the same numbers in the same order, so all give the same bits.
//
//     begin(vector)   begins a round with the vector that the partners shall get; the vector of the
//                     round before may change
//     offer(k)        the first k blocks of the vector are final
//     wait_for(k)     waits for block k of all partners, or for their sum; k counts up
//     release(k)      block k has been read here
//     finish()        all blocks have been read here
//     settle()        gives up a round that is not finished; nothing is under way afterwards
//
// Collective, one thread per rank.
#pragma once

#include <apps/spin/kernel.hpp>

#include <cstddef>
#include <cstdint>

namespace spin {

/// The same on every rank.
struct exchange_shape {
  unsigned partners = 0;           // the logarithm of the number of ranks
  std::size_t block_elements = 0;  // doubles per block
  std::size_t blocks = 0;          // blocks per vector
  std::size_t buffers = 0;         // blocks per ring or buffer

  std::size_t block_bytes() const noexcept { return block_elements * sizeof(double); }
  std::size_t buffer_elements() const noexcept { return buffers * block_elements; }
};

class exchange {
 public:
  explicit exchange(const exchange_shape& shape) : shape_(shape) {}
  exchange(const exchange&) = delete;
  exchange& operator=(const exchange&) = delete;
  virtual ~exchange() = default;

  virtual void begin(const double* vector) = 0;
  virtual void offer(std::size_t blocks) = 0;
  virtual block_streams wait_for(std::size_t block) = 0;
  virtual void release(std::size_t block) = 0;
  virtual void finish() = 0;
  virtual void settle() {}

  const exchange_shape& shape() const noexcept { return shape_; }
  /// The bytes that this rank has moved from or to partners, counters not included.
  std::uint64_t moved_bytes() const noexcept { return moved_bytes_; }
  /// The time in which this rank only waited for partners.
  std::int64_t waited_ns() const noexcept { return waited_ns_; }

 protected:
  const exchange_shape shape_;
  std::uint64_t moved_bytes_ = 0;
  std::int64_t waited_ns_ = 0;
};

}  // namespace spin
