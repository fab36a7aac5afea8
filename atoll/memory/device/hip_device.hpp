// SPDX-License-Identifier: BSD-3-Clause
//
// HIP devices over AMD's library. A device is used as the program's own calls of HIP use it: there
// is one context per device and process, so addresses mean the same to both.
#pragma once

#include <atoll/memory/device/device_list.hpp>

#include <memory>

namespace atl::memory {

driver_state describe_hip();
std::unique_ptr<device> open_hip(const device_description& description);
bool is_hip_peer(int index, int other);

}  // namespace atl::memory
