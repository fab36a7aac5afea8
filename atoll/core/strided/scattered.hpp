// SPDX-License-Identifier: BSD-3-Clause
//
// The description of a non-contiguous transfer, in the three forms of GASNet-EX's VIS interface:
// vector (lists of runs of any length), indexed (lists of addresses of runs of one length) and
// strided (an n-dimensional block of elements on each side). Plain values that refer to the
// caller's arrays; nothing here knows of ranks or endpoints (strided.hpp does).
//
// The two sides of a vector or indexed transfer are streams of bytes of equal length, cut in
// different ways. Places that are written may not overlap each other or what is read; places that
// are read may overlap each other.
#pragma once

#include <atoll/core/strided/memory_run.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace atl {

/// A list of runs, read from an array of `memory_run` or of any structure laid out like it.
class run_list {
 public:
  run_list() = default;
  run_list(const void* runs, std::size_t count) noexcept
      : runs_(static_cast<const std::byte*>(runs)), count_(count) {}
  run_list(std::span<const memory_run> runs) noexcept : run_list(runs.data(), runs.size()) {}

  std::size_t size() const noexcept { return count_; }
  memory_run operator[](std::size_t index) const noexcept {
    memory_run run;
    std::memcpy(&run, runs_ + index * sizeof run, sizeof run);
    return run;
  }

 private:
  const std::byte* runs_ = nullptr;
  std::size_t count_ = 0;
};

/// Runs of `bytes` bytes at each of the addresses.
struct address_list {
  std::span<void* const> addresses = {};
  std::size_t bytes = 0;
};

/// Runs to runs; runs of no bytes may have any address.
struct vector_transfer {
  run_list to = {};
  run_list from = {};
};

struct indexed_transfer {
  address_list to = {};
  address_list from = {};
};

/// An n-dimensional block, n = counts.size(): element (i0, i1, ...) of `element_bytes` bytes goes
/// from `from` + i0 * from_strides[0] + ... to `to` + i0 * to_strides[0] + ... Strides are in bytes
/// and of any sign; those of `from` may be 0. No dimension: one element. No bytes or a count of 0:
/// nothing.
struct strided_transfer {
  void* to = nullptr;
  std::span<const std::ptrdiff_t> to_strides = {};
  const void* from = nullptr;
  std::span<const std::ptrdiff_t> from_strides = {};
  std::size_t element_bytes = 0;
  std::span<const std::size_t> counts = {};
};

/// `count` runs of `bytes` bytes, the first at `address`, each `stride` after the one before.
struct run_row {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  std::size_t count = 0;
  std::ptrdiff_t stride = 0;
};

/// Rows to rows, for the library's own use; none is empty.
struct rows_transfer {
  std::span<const run_row> to = {};
  std::span<const run_row> from = {};
};

/// A range of addresses, of a process that need not be this one.
struct address_extent {
  std::uintptr_t low = 0;
  std::size_t bytes = 0;
};

}  // namespace atl
