// SPDX-License-Identifier: BSD-3-Clause
//
// The devices of this machine: the drivers that can be opened, and why others cannot. Each vendor's
// driver is a library that is opened when it is first asked for; a machine without it has no
// devices of that kind, which is no error.
#pragma once

#include <atoll/memory/device/device.hpp>

#include <memory>
#include <string>
#include <vector>

namespace atl::memory {

/// The state of one kind's driver in this process.
struct driver_state {
  memory_kind kind = memory_kind::host;
  bool usable = false;
  std::string library;  // the name by which it is opened
  std::string version;  // empty when it is not usable
  std::string reason;   // why it is not usable, with the remedy; or what it refused to tell
  std::vector<device_description> devices;
};

/// Opens the driver of a kind, if that has not been done, and asks it.
driver_state describe_driver(memory_kind kind);

/// Whether the kernel knows devices of a kind, or of any, whatever this process may use.
bool has_hardware(memory_kind kind);
bool has_device_hardware();

/// Opens a device. Throws `atl::error` when there is none of this index, or it cannot be used.
std::unique_ptr<device> open_device(memory_kind kind, int index);

/// Whether a device copies to and from the memory of another of its kind directly.
bool is_peer(memory_kind kind, int index, int other);

/// "cuda device 0 (Test device)".
std::string text_of(const device_description& device);

}  // namespace atl::memory
