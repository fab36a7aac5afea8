// SPDX-License-Identifier: BSD-3-Clause
//
// The variant *device*: both fields lie in memory of a device of each rank. A step puts the eight
// borders into the neighbours' halos, device to device, signals the neighbours, waits for their
// signals and computes the block on the device. The host reads the field only before the first step
// and after the last.
//
// Set-up and ending are collective over the job, whose ranks all take part. Threads: one.
#pragma once

#include <apps/stencil2d/comparison.hpp>
#include <apps/stencil2d/handshake.hpp>
#include <atoll/memory/device/device.hpp>

#include <cstddef>
#include <memory>

namespace stencil2d {

/// The bytes that it takes from the arena.
inline constexpr std::size_t device_variant_bytes = handshake::bytes_needed;

/// Throws `atl::error` where this rank has no such device, or no library compiles kernels for it.
void check_device(atl::runtime& job, atl::memory::memory_kind kind);

/// For a device that check_device() has accepted.
std::unique_ptr<variant> make_device_variant(arena& from, const setting& given,
                                             atl::memory::memory_kind kind);

}  // namespace stencil2d
