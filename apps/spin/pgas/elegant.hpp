// SPDX-License-Identifier: BSD-3-Clause
//
// The elegant variant, as textbooks write it: the flips of state i are the sum over the bits b of
// v[i xor 2^b], where v is one vector over all ranks that is read four neighbours at a time. There
// are no buffers and no messages; a block is read when it is final on all partners.
//
// `hoisted` finds the partner's memory once per block and bit and adds a bit at a time; elegant
// adds all bits of four states in registers.
#pragma once

#include <apps/spin/aligned.hpp>
#include <apps/spin/exchange.hpp>
#include <apps/spin/pgas/global_vector.hpp>
#include <apps/spin/pgas/vector_progress.hpp>

#include <optional>

namespace spin {

class elegant : public exchange {
 public:
  elegant(atl::runtime& job, shared_area& area, const exchange_shape& shape)
      : exchange(shape),
        job_(job),
        area_(area),
        progress_(job, area, shape),
        flips_(shape.block_elements) {}

  static std::size_t bytes(const exchange_shape& shape) noexcept {
    return vector_progress::bytes(shape);
  }

  void begin(const double* vector) final;
  void offer(std::size_t blocks) final { progress_.offer(blocks); }
  block_streams wait_for(std::size_t block) final;
  void release(std::size_t) final {}
  void finish() final { progress_.finish(); }

 protected:
  /// The states of a block, and the bits whose flips lead to other ranks.
  struct range {
    state_id first;
    std::size_t count;
    state_id lowest_bit;
    state_id after_bits;
  };
  virtual void sum_flips(range states, const global_vector& vector, double* flips) const;

 private:
  atl::runtime& job_;
  const shared_area& area_;
  vector_progress progress_;
  std::optional<global_vector> v_;
  aligned_numbers flips_;
  const double* stream_ = nullptr;  // what wait_for returns
};

class hoisted final : public elegant {
  using elegant::elegant;
  void sum_flips(range states, const global_vector& vector, double* flips) const override;
};

}  // namespace spin
