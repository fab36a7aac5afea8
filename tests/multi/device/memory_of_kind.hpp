// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of one kind at every rank, for all parts of the test of device memory, with a region for
// each source rank and two for the owner, and patterns to fill it with. Threads: one.
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/segment/segment.hpp>
#include <atoll/memory/device/device_list.hpp>

#include <cstddef>
#include <vector>

constexpr std::size_t region = (1 << 20) + 64;

inline std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    made[i] = static_cast<std::byte>(i * 31 + seed * 7 + i / 251);
  return made;
}

/// The device of this rank: those of a kind are given to ranks in turn.
inline atl::memory::device& device_of(atl::runtime& job, atl::memory::memory_kind kind) {
  const std::size_t count = atl::memory::describe_driver(kind).devices.size();
  return job.open_device(kind, count == 0 ? 0 : static_cast<int>(job.rank() % count));
}

/// This rank's memory of one kind, shared with all.
struct memory_of_kind {
  memory_of_kind(atl::runtime& job, atl::memory::device* owner)
      : device(owner), bytes((job.size() + 2) * region), shared(job) {
    base = device != nullptr ? device->allocate(bytes)
                             : static_cast<std::byte*>(job.heap().allocate(bytes, 64));
    if (base == nullptr) throw atl::error("test memory", "there is not enough", "");
    shared.share({base, bytes, device});
  }
  /// Ends it, when all ranks have finished with it.
  void end() {
    shared.place({});
    if (device != nullptr) device->free(base);
  }
  std::byte* region_of(atl::rank_id owner, atl::rank_id source) const {
    return shared.part(owner).base + source * region;
  }
  std::byte* scratch(std::size_t which) const { return base + (shared.ranks() + which) * region; }

  atl::memory::device* device;
  std::size_t bytes;
  atl::segment shared;
  std::byte* base = nullptr;
};
