// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that variants on Atoll take, planned before any is allocated.
#pragma once

#include <apps/fft3d/options.hpp>

#include <cstdint>

namespace fft3d {

/// In bytes.
struct memory_plan {
  std::uint64_t shared = 0;  // of a rank, in memory that others reach
  std::uint64_t own = 0;     // of a rank besides
};

/// The memory of these variants together, of the rank that takes the most.
memory_plan memory_of(const extent& size, unsigned ranks, const std::vector<std::string>& names);

}  // namespace fft3d
