// SPDX-License-Identifier: BSD-3-Clause
//
// The functions for all kinds of devices: one branch per kind.
#include <atoll/memory/device/device_list.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/device/cuda_device.hpp>
#include <atoll/memory/device/hip_device.hpp>
#include <atoll/memory/device/ze_device.hpp>

#include <unistd.h>

#include <algorithm>

namespace atl::memory {

driver_state describe_driver(memory_kind kind) {
  switch (kind) {
    case memory_kind::cuda:
      return describe_cuda();
    case memory_kind::hip:
      return describe_hip();
    case memory_kind::ze:
      return describe_ze();
    case memory_kind::host:
      break;
  }
  return {.kind = kind,
          .library = {},
          .version = {},
          .reason = "host memory has no driver",
          .devices = {}};
}

bool has_hardware(memory_kind kind) {
  const auto exists = [](const char* path) { return ::access(path, F_OK) == 0; };
  switch (kind) {
    case memory_kind::cuda:
      return exists("/dev/nvidiactl") || exists("/proc/driver/nvidia/version");
    case memory_kind::hip:
      return exists("/dev/kfd") && exists("/sys/bus/pci/drivers/amdgpu");
    case memory_kind::ze:
      return exists("/dev/dri") && exists("/sys/bus/pci/drivers/xe");
    case memory_kind::host:
      break;
  }
  return false;
}

bool has_device_hardware() { return std::ranges::any_of(device_kinds, has_hardware); }

std::unique_ptr<device> open_device(memory_kind kind, int index) {
  const driver_state state = describe_driver(kind);
  const std::string object = text(name_of(kind), " device ", index);
  if (!state.usable) throw error(object, text("there is no driver: ", state.reason), {});
  if (index < 0 || static_cast<std::size_t>(index) >= state.devices.size()) {
    throw error(object,
                text("the driver has ", state.devices.size(), " devices",
                     state.reason.empty() ? "" : "; ", state.reason),
                "see `atoll info` for their numbers");
  }
  const device_description& found = state.devices[static_cast<std::size_t>(index)];
  if (kind == memory_kind::cuda) return open_cuda(found);
  return kind == memory_kind::hip ? open_hip(found) : open_ze(found);
}

bool is_peer(memory_kind kind, int index, int other) {
  switch (kind) {
    case memory_kind::cuda:
      return is_cuda_peer(index, other);
    case memory_kind::hip:
      return is_hip_peer(index, other);
    case memory_kind::ze:
      return is_ze_peer(index, other);
    case memory_kind::host:
      break;
  }
  return false;
}

std::string text_of(const device_description& device) {
  return text(name_of(device.kind), " device ", device.index, " (", device.name, ")");
}

}  // namespace atl::memory
