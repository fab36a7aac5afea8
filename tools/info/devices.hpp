// SPDX-License-Identifier: BSD-3-Clause
//
// Devices with memory of their own, as `atoll info` and `atoll doctor` report them: the drivers,
// each device with what it can do, and the way that bytes take in each of six directions. A device
// is opened and tried, since only that shows whether its memory can be exported, whether another
// process opens it, and whether pinned memory is given; a machine without a driver pays nothing.
#pragma once

#include <atoll/base/settings.hpp>
#include <atoll/memory/device/device_list.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace atl::tools {

/// A device that was opened and tried. Refusals are in the driver's words; empty where it worked.
struct tried_device {
  memory::device_description description;
  std::string refusal;         // why it cannot be opened
  std::string export_refusal;  // why other processes of the host cannot open its memory
  std::string open_refusal;    // why another process that tried could not open it
  std::string pin_refusal;     // why there is no pinned memory
  std::vector<int> peers;      // other devices of its kind that it reaches
};

struct tried_driver {
  memory::driver_state state;
  std::vector<tried_device> devices;
};

std::vector<tried_driver> try_devices();

/// The way of transfers in one direction between two ranks.
struct device_direction {
  std::string operation;  // put or get
  std::string from;       // host or device: the source's memory
  std::string to;
  bool is_direct = false;     // between ranks of one host
  std::string between_ranks;  // of one host: how, and why
  std::string between_hosts;
};

/// All six, for the devices of a driver by these settings.
std::vector<device_direction> directions_of(const tried_driver& driver, const settings& chosen);

/// Two digits per byte, in lower case.
std::string hexadecimal(std::span<const std::byte> bytes);

}  // namespace atl::tools
