// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that the planned work takes, beside what there is. It is checked before anything is
// allocated, because a rank without memory would leave the others waiting.
#pragma once

#include <apps/trial/trial.hpp>

#include <cstdint>

namespace trial {

/// The memory that one rank may take, in bytes.
struct memory_share {
  std::uint64_t heap = UINT64_MAX;  // that other ranks reach
  std::uint64_t all = UINT64_MAX;   // its share of the host's memory
};

/// Throws `atl::error` on all ranks when the work takes more than the rank with the least may have;
/// collective.
void check_memory(group& ranks, const work& planned, const memory_share& own);

}  // namespace trial
