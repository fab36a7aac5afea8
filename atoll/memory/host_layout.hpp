// SPDX-License-Identifier: BSD-3-Clause
//
// The sizes of the memory that the ranks of one host share: how its file is divided among them
// (host_memory.hpp draws it), and how large their heaps may become.
#pragma once

#include <atoll/base/rank.hpp>

#include <cstddef>

namespace atl::memory {

/// How the host's file is divided. The same on every rank of the host.
struct host_layout {
  rank_id ranks = 1;                // ranks of this host
  rank_id first = 0;                // the first of them; areas are in their order
  std::size_t control_bytes = 0;    // per rank, for transports and the internal heap
  std::size_t fixed_bytes = 0;      // the part of these that is used without a promise
  std::size_t heap_limit = 0;       // per rank, bytes of shared heap that may ever be committed
  std::size_t symmetric_limit = 0;  // the same of the symmetric heap
  std::size_t host_limit = 0;       // all heaps of the host together

  /// The bytes of a rank that others reach: both heaps, one after the other.
  std::size_t shared_bytes() const noexcept { return heap_limit + symmetric_limit; }

  /// The alignment of all ranks' symmetric heaps: 32 MiB, or less where the heaps are smaller.
  std::size_t symmetric_alignment() const noexcept;

  std::size_t stride() const noexcept;
  std::size_t file_bytes() const noexcept;
};

}  // namespace atl::memory
