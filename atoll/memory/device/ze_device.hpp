// SPDX-License-Identifier: BSD-3-Clause
//
// Level Zero's devices. Its addresses hold within one context of a driver: a program that shares
// memory with Atoll sets its own context before a device of that driver is opened, or asks for
// Atoll's. A device's number is its place among the GPUs of all drivers, as the loader lists them.
//
// A handle by which another process opens memory contains a descriptor of the process that made it.
// The opener takes a duplicate of that by pidfd_getfd(), for which both must see each other's
// process numbers and the kernel must let the one trace the other (kernel_copy.hpp has the same
// needs); nothing goes over a socket.
#pragma once

#include <atoll/memory/device/device_list.hpp>
#include <atoll/memory/device/ze_driver.hpp>

#include <memory>

namespace atl::memory {

driver_state describe_ze();
std::unique_ptr<device> open_ze(const device_description& description);
bool is_ze_peer(int index, int other);

/// The number of a device; -1 when it is none of this process.
int ze_index_of(ze::device_handle device);
/// The device of a number; null when there is none.
const ze::place* ze_place_of(int index);

/// The context in which memory of a driver's devices is made; the first call makes one, unless one
/// was set. Throws `atl::error` when there is no such driver, or it refuses.
ze::context_handle ze_context_of(ze::driver_handle driver);
/// Throws `atl::error` when the driver has another one already.
void set_ze_context(ze::driver_handle driver, ze::context_handle context);

}  // namespace atl::memory
