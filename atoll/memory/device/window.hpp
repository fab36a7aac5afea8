// SPDX-License-Identifier: BSD-3-Clause
//
// Device memory that the processor reaches by stores and loads, through a window on the bus (BAR).
// A few bytes are there sooner than an engine's copy begins; many are slower, since loads cross the
// bus one by one. For CUDA the window is given by NVIDIA's library gdrapi, over its module gdrdrv;
// where these are missing, or the window is too small, there is none, and engines copy everything.
//
// Threads: any.
#pragma once

#include <atoll/memory/device/device.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace atl::memory {

/// Whole pages of a device's memory, and where the processor sees them.
struct mapped_window {
  std::byte* memory = nullptr;  // as the device addresses it; null: there is no window
  std::byte* seen = nullptr;
  std::size_t bytes = 0;
  std::uint64_t handle = 0;  // the library's

  /// The processor's address of these bytes; null where they are not all in the window.
  std::byte* find(const std::byte* address, std::size_t size) const noexcept {
    const auto offset = static_cast<std::size_t>(address - memory);
    const bool holds = address >= memory && size <= bytes && offset <= bytes - size;
    return holds && memory != nullptr ? seen + offset : nullptr;
  }
};

/// A window for the whole pages of some memory of a device.
mapped_window map_window(const device_description& device, std::span<std::byte> memory) noexcept;
/// Takes the window away; to be called before the memory is freed.
void unmap_window(const mapped_window& window) noexcept;

}  // namespace atl::memory
