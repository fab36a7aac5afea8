// SPDX-License-Identifier: BSD-3-Clause
//
// Nothing is moved: the kernel reads the partners' vectors where they are. A rank tells its
// partners how many blocks of its vector are final, and when it has read all of theirs. Where a
// partner's memory is not mapped here, its blocks are got, some ahead.
#pragma once

#include <apps/spin/aligned.hpp>
#include <apps/spin/exchange.hpp>
#include <apps/spin/pgas/mailbox.hpp>
#include <apps/spin/pgas/shared_area.hpp>
#include <atoll/core/rma/rma.hpp>

#include <vector>

namespace spin {

class direct final : public exchange {
 public:
  direct(atl::runtime& job, shared_area& area, const exchange_shape& shape);

  static std::size_t bytes(const exchange_shape& shape) noexcept {
    return shape.partners * sizeof(mailbox);
  }

  void begin(const double* vector) override;
  void offer(std::size_t blocks) override;
  block_streams wait_for(std::size_t block) override;
  void release(std::size_t) override {}
  void finish() override;

 private:
  struct channel {
    atl::rank_id partner;
    const mailbox* reported;         // this rank's, which the partner writes
    mailbox* report;                 // the partner's
    const double* remote = nullptr;  // the partner's vector as it sees it
    const double* local = nullptr;   // the same as it is mapped here, or null
    std::size_t asked = 0;           // blocks of this round that are got
    aligned_numbers got;             // the blocks got, in a ring
    std::vector<atl::event> events;
  };

  bool is_final(const channel& from, std::size_t block) const noexcept {
    return read_counter(from.reported->arrived) > round_first_ + block;
  }
  const double* stream_of(channel& from, std::size_t block);
  void ask(channel& from, std::size_t last);
  template <class Ready>
  void wait_until(Ready ready);

  atl::runtime& job_;
  const shared_area& area_;
  std::vector<channel> channels_;
  std::vector<const double*> streams_;  // what wait_for returns
  std::uint64_t round_first_ = 0;       // number of the round's first block, since the start
  std::uint64_t next_round_ = 0;
};

}  // namespace spin
