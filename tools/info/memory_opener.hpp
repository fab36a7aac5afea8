// SPDX-License-Identifier: BSD-3-Clause
//
// Whether another process opens memory of a device, found by one that tries: this command again,
// with an option that only this file knows. A driver may give handles that no process of a
// container can open, so having one says little.
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
