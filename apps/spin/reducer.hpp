// SPDX-License-Identifier: BSD-3-Clause
//
// The sum of one number over all ranks, the same bits on every rank and in every implementation:
// the numbers are added up in the order of ranks. Collective; one thread per rank.
#pragma once

#include <cstdint>

namespace spin {

class reducer {
 public:
  reducer() = default;
  reducer(const reducer&) = delete;
  reducer& operator=(const reducer&) = delete;
  virtual ~reducer() = default;

  virtual double sum(double value) = 0;

  std::int64_t waited_ns() const noexcept { return waited_ns_; }

 protected:
  std::int64_t waited_ns_ = 0;
};

}  // namespace spin
