// SPDX-License-Identifier: BSD-3-Clause
//
// Noise as a function of a number: any rank can compute any part of an input again, so inputs need
// not be sent for a check.
#pragma once

#include <cstdint>

namespace trial {

/// A value that is evenly distributed from -1 to 1, by the finalizer of splitmix64.
constexpr double noise(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
  number ^= number >> 31U;
  return static_cast<double>(static_cast<std::int64_t>(number)) * 0x1p-63;
}

}  // namespace trial
