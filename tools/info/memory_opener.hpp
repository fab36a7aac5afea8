// SPDX-License-Identifier: BSD-3-Clause
//
// Finds out whether another process can open memory of a device, by starting one that tries: this
// command again, with an option that is not in the help. In a container a driver may give handles
// that no other process can open, so a handle alone proves little.
#pragma once

#include <atoll/memory/device/device.hpp>

#include <string>

namespace atl::tools {

/// Why another process cannot open this memory; empty when it can.
std::string refusal_of_opening(const memory::device_description& device,
                               const memory::exported_memory& exported);

/// The other process: opens what the words of the option describe, and prints why it cannot. The
/// result is the command's.
int open_memory(const std::string& words);

}  // namespace atl::tools
