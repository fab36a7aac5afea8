// SPDX-License-Identifier: BSD-3-Clause
//
// One branch per kind. Kinds without an implementation say so, and are inactive.
#include <atoll/memory/device/device_list.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/device/cuda_device.hpp>

namespace atl::memory {

namespace {

driver_state missing_kind(memory_kind kind) {
  return {
      .kind = kind,
      .usable = false,
      .library = kind == memory_kind::hip ? "libamdhip64.so" : "libze_loader.so.1",
      .version = {},
      .reason = "this version of Atoll moves no memory of this kind; keep the data in host memory",
      .devices = {}};
}

}  // namespace

driver_state describe_driver(memory_kind kind) {
  return kind == memory_kind::cuda ? describe_cuda() : missing_kind(kind);
}

std::unique_ptr<device> open_device(memory_kind kind, int index) {
  const driver_state state = describe_driver(kind);
  const std::string object = text(name_of(kind), " device ", index);
  if (!state.usable) throw error(object, text("there is no driver: ", state.reason), {});
  if (index < 0 || static_cast<std::size_t>(index) >= state.devices.size()) {
    throw error(object, text("the driver has ", state.devices.size(), " devices"),
                "see `atoll info` for their numbers");
  }
  return open_cuda(state.devices[static_cast<std::size_t>(index)]);
}

bool is_peer(memory_kind kind, int index, int other) {
  return kind == memory_kind::cuda && is_cuda_peer(index, other);
}

std::string text_of(const device_description& device) {
  return text(name_of(device.kind), " device ", device.index, " (", device.name, ")");
}

}  // namespace atl::memory
