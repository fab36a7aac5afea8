// SPDX-License-Identifier: BSD-3-Clause
//
// A device that this process has opened for UPC++, and the segment of its allocator. The segment is
// one of the core, made by all ranks together, so copies are puts and gets of the core, which finds
// the way. Which bytes are in use is kept in a map in host memory: no processor touches the
// segment.
//
// Ownership: the device object, its allocator and the table of the process share it. It is ended by
// a collective call, or by finalize(), and stays as an inactive object for those that still hold
// it. Threads: any may allocate, under the lock.
#pragma once

#include <atoll/core/segment/segment.hpp>
#include <atoll/memory/range_map.hpp>
#include <upcxx/device_allocator.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace atl::upcxx_front {

struct device_heap {
  bool is_active() const noexcept { return device != nullptr; }
  /// Whether these bytes are all in this rank's part.
  bool holds(std::uintptr_t address, std::size_t size) const noexcept {
    const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(base);
    return base != nullptr && offset <= bytes && size <= bytes - offset;
  }

  memory::device* device = nullptr;  // null: inactive here
  int id = -1;
  bool has_allocator = false;

  std::uint16_t number = 0;       // in pointers; 0: no rank has a segment
  std::optional<segment> shared;  // the parts of all ranks
  std::byte* base = nullptr;      // of the part of this rank; null: it has none
  std::size_t bytes = 0;
  bool is_own = false;  // allocated here, not by the program

  std::mutex guard;      // of the map
  std::size_t lead = 0;  // bytes in the map before the part, so that offsets align as addresses do
  std::optional<memory::range_map> map;
};

/// "cuda_device".
std::string name_of(upcxx::memory_kind kind);
/// The segment that a pointer is into; a pointer into none ends the job.
device_heap& heap_of(const place& location, const char* call) noexcept;

}  // namespace atl::upcxx_front
