// SPDX-License-Identifier: BSD-3-Clause
//
// The windows on the bus (BARs) through which other hardware reaches the memory of a device, as the
// kernel lists them. A network registers no more of a device's memory than its window shows, so one
// that is smaller than the memory sends transfers between hosts through host memory.
#pragma once

#include <atoll/memory/device/device.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace atl::tools {

/// The largest window of one device on the bus.
struct device_window {
  std::string address;  // on the bus: "0000:65:00.0"
  std::uint64_t bytes = 0;
};

/// The windows of the display and compute devices of a kind's vendor. `bus` is the kernel's folder
/// of devices; without it the list is empty.
std::vector<device_window> windows_of(memory::memory_kind kind,
                                      const std::string& bus = "/sys/bus/pci/devices");

/// The windows that are smaller than so much memory, in words; empty when there are none.
std::string small_windows(const std::vector<device_window>& windows, std::uint64_t memory_bytes);

}  // namespace atl::tools
