// SPDX-License-Identifier: BSD-3-Clause
//
// The direct variant: the kernel reads the final blocks of the partners' vectors in place. Where a
// partner's memory is not mapped here, its blocks are fetched by gets, some of them ahead.
#pragma once

#include <apps/spin/aligned.hpp>
#include <apps/spin/exchange.hpp>
#include <apps/spin/pgas/shared_area.hpp>
#include <apps/spin/pgas/vector_progress.hpp>
#include <atoll/core/rma/rma.hpp>

#include <vector>

namespace spin {

class direct final : public exchange {
 public:
  direct(atl::runtime& job, shared_area& area, const exchange_shape& shape);

  static std::size_t bytes(const exchange_shape& shape) noexcept {
    return vector_progress::bytes(shape);
  }

  void begin(const double* vector) override;
  void offer(std::size_t blocks) override { progress_.offer(blocks); }
  block_streams wait_for(std::size_t block) override;
  void release(std::size_t) override {}
  void finish() override { progress_.finish(); }

 private:
  struct channel {
    atl::rank_id partner;
    const double* remote = nullptr;  // the partner's vector as it sees it
    const double* local = nullptr;   // the same as it is mapped here, or null
    std::size_t asked = 0;           // blocks of this round for which a get was started
    aligned_numbers got;             // the blocks got, in a ring
    std::vector<atl::event> events;
  };

  const double* stream_of(unsigned partner, std::size_t block);
  void ask(unsigned partner, std::size_t last);

  atl::runtime& job_;
  const shared_area& area_;
  vector_progress progress_;
  std::vector<channel> channels_;
  std::vector<const double*> streams_;  // what wait_for returns
};

}  // namespace spin
