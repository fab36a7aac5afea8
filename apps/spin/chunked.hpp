// SPDX-License-Identifier: BSD-3-Clause
//
// The common part of the simpler variants: all partners go through the vector in step, a chunk of
// as many blocks at a time as a buffer holds. With one buffer, a chunk is moved when it is needed.
// With two, the next chunk is on its way into one while the kernel reads the other.
#pragma once

#include <apps/spin/exchange.hpp>

#include <algorithm>
#include <vector>

namespace spin {

class chunked : public exchange {
 public:
  /// `buffers` is 1 or 2; they share the blocks that `shape` allows, and each has at least one.
  chunked(const exchange_shape& shape, std::size_t buffers);
  /// How many numbers all buffers of a partner hold.
  static constexpr std::size_t elements(const exchange_shape& shape, std::size_t buffers) noexcept {
    return buffers * blocks_each(shape, buffers) * shape.block_elements;
  }

  void begin(const double* vector) final { vector_ = vector; }
  void offer(std::size_t) final {}  // chunks move only when all ranks have whole vectors
  block_streams wait_for(std::size_t block) final;
  void release(std::size_t block) final;
  void finish() override {}

 protected:
  struct chunk {
    std::size_t number;    // in the vector
    const double* source;  // this rank's, to be sent
    std::size_t elements;
    std::size_t buffer;  // 0 or 1
    std::size_t offset;  // of that buffer, in elements from the start of the first
  };
  /// Begins to move a chunk, from here to all partners and from them to here.
  virtual void start(const chunk& moved) = 0;
  /// The chunk is here, from all partners.
  virtual void complete(const chunk& moved) = 0;
  /// The chunk has been read.
  virtual void used(const chunk&) {}

  /// Where the chunks of the partners arrive; set by the constructors of variants.
  std::vector<const double*> arrive_;

 private:
  static constexpr std::size_t blocks_each(const exchange_shape& shape,
                                           std::size_t buffers) noexcept {
    return std::max<std::size_t>(shape.buffers / buffers, 1);
  }
  chunk chunk_of(std::size_t number) const noexcept;
  std::size_t chunks() const noexcept { return (shape_.blocks + per_chunk_ - 1) / per_chunk_; }

  std::size_t buffers_;
  std::size_t per_chunk_;  // blocks
  const double* vector_ = nullptr;
  std::vector<const double*> streams_;  // what wait_for returns
};

}  // namespace spin
