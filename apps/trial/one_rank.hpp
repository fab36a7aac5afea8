// SPDX-License-Identifier: BSD-3-Clause
//
// A group of one rank without a job, for tests of checks and of the frame.
#pragma once

#include <apps/trial/trial.hpp>

namespace trial {

class one_rank final : public group {
 public:
  unsigned rank() const override { return 0; }
  unsigned size() const override { return 1; }
  void barrier() override {}
  void add(std::span<double>) override {}
  double greatest(double number) override { return number; }
  void broadcast(std::span<double>) override {}
};

}  // namespace trial
