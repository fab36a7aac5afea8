// SPDX-License-Identifier: BSD-3-Clause
//
// Messages in round-robin buffers: a receive is posted into each place of a ring before anything
// arrives, and blocks are sent as soon as they are computed, as long as the send that used the same
// place before is complete.
#pragma once

#include <apps/spin/aligned.hpp>
#include <apps/spin/exchange.hpp>

#include <mpi.h>

#include <vector>

namespace spin {

class opt final : public exchange {
 public:
  opt(const exchange_shape& shape, int rank);

  void begin(const double* vector) override;
  void offer(std::size_t blocks) override;
  block_streams wait_for(std::size_t block) override;
  void release(std::size_t block) override;
  void finish() override;
  void settle() override;

 private:
  /// The requests of all partners at one place of the ring.
  using requests = std::vector<MPI_Request>;

  std::size_t place_of(std::size_t block) const noexcept { return block % shape_.buffers; }
  void receive(std::size_t block);
  void send(std::size_t block);
  void send_ready();

  int rank_;
  std::vector<aligned_numbers> rings_;  // per partner
  std::vector<requests> receives_;      // per place
  std::vector<requests> sends_;
  std::vector<const double*> streams_;
  const double* vector_ = nullptr;
  std::size_t offered_ = 0;  // blocks of this round
  std::size_t sent_ = 0;
};

}  // namespace spin
