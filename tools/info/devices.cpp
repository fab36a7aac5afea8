// SPDX-License-Identifier: BSD-3-Clause
//
// Tries devices and names the way of each transfer, by the same conditions as core/device
// (find_way). Between ranks of one host a copy engine reaches host memory that both have mapped,
// and the memory of a device by a handle; everything else is staged.
#include <tools/info/devices.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/settings.hpp>
#include <atoll/transport/ofi/settings.hpp>
#include <atoll/transport/settings.hpp>
#include <tools/info/memory_opener.hpp>

#include <algorithm>

namespace atl::tools {
namespace {

constexpr std::size_t tried_bytes = 4096;

tried_device try_device(const memory::device_description& description) {
  tried_device tried{.description = description,
                     .refusal = {},
                     .export_refusal = {},
                     .open_refusal = {},
                     .pin_refusal = {},
                     .peers = {}};
  try {
    const auto device = memory::open_device(description.kind, description.index);
    if (std::byte* const pinned = device->pin(tried_bytes); pinned != nullptr) {
      device->unpin(pinned);
    } else {
      tried.pin_refusal = device->problem();
    }
    memory::exported_memory exported;
    std::byte* const block = device->allocate(tried_bytes);
    if (block == nullptr || !device->export_memory(block, exported)) {
      tried.export_refusal = device->problem();
    } else {
      tried.open_refusal = refusal_of_opening(description, exported);
    }
    if (block != nullptr) device->free(block);
  } catch (const error& refused) {
    tried.refusal = refused.cause();
  }
  return tried;
}

/// Why no transfer between ranks goes directly, whatever the devices; empty when they may.
std::string general_refusal(const settings& chosen) {
  if (chosen.text(setting::device_path) == "staged") return "ATOLL_DEVICE_PATH is staged";
  if (chosen.text(setting::rma_path) == "am") return "ATOLL_RMA_PATH is am";
  return {};
}

std::string handle_refusal(const tried_driver& driver) {
  for (const tried_device& each : driver.devices) {
    if (!each.export_refusal.empty())
      return text("the driver exports no memory (", each.export_refusal, ")");
    if (!each.open_refusal.empty())
      return text("other processes cannot open the memory (", each.open_refusal, ")");
  }
  return {};
}

/// Why not every device reaches every other.
std::string peer_refusal(const tried_driver& driver) {
  for (const tried_device& each : driver.devices) {
    if (each.peers.size() + 1 < driver.devices.size())
      return text("device ", each.description.index, " reaches only ", each.peers.size(), " of ",
                  driver.devices.size() - 1, " others");
  }
  return {};
}

device_direction direction_of(const tried_driver& driver, const settings& chosen, bool is_put,
                              bool from_device, bool to_device) {
  const bool local_on_device = is_put ? from_device : to_device;
  const bool remote_on_device = is_put ? to_device : from_device;
  const auto memory_name = [](bool on_device) { return on_device ? "device" : "host"; };
  device_direction way{.operation = is_put ? "put" : "get",
                       .from = memory_name(from_device),
                       .to = memory_name(to_device),
                       .between_ranks = {},
                       .between_hosts = {}};
  std::string refusal = general_refusal(chosen);
  if (refusal.empty() && remote_on_device) refusal = handle_refusal(driver);
  way.is_direct = refusal.empty();
  if (!way.is_direct) {
    way.between_ranks = text("staged in pinned memory: ", refusal);
  } else if (!remote_on_device) {
    way.between_ranks = "directly: one copy, since the shared heaps are mapped by both";
  } else {
    way.between_ranks = "directly: one copy, to memory opened by a handle";
    const std::string partly = peer_refusal(driver);
    if (local_on_device && !partly.empty())
      way.between_ranks += text("; staged between devices that are no peers, ", partly);
  }
  way.between_hosts = local_on_device ? "staged in pinned memory here, then as host memory goes"
                                      : "messages, staged in pinned memory there";
  if (local_on_device && remote_on_device)
    way.between_hosts = "staged in pinned memory here and there, by messages between";
  way.between_hosts += chosen.text(setting::ofi_devices) == "no"
                           ? "; ATOLL_OFI_DEVICES is no"
                           : "; without a stop where the network registers memory of devices";
  return way;
}

}  // namespace

std::vector<tried_driver> try_devices() {
  std::vector<tried_driver> found;
  for (const memory::memory_kind kind : memory::device_kinds) {
    tried_driver driver{.state = memory::describe_driver(kind), .devices = {}};
    for (const memory::device_description& each : driver.state.devices) {
      tried_device tried = try_device(each);
      for (const memory::device_description& other : driver.state.devices) {
        if (other.index != each.index && memory::is_peer(kind, each.index, other.index))
          tried.peers.push_back(other.index);
      }
      driver.devices.push_back(std::move(tried));
    }
    found.push_back(std::move(driver));
  }
  return found;
}

std::vector<device_direction> directions_of(const tried_driver& driver, const settings& chosen) {
  std::vector<device_direction> found;
  for (const bool is_put : {true, false}) {
    found.push_back(direction_of(driver, chosen, is_put, false, true));
    found.push_back(direction_of(driver, chosen, is_put, true, false));
    found.push_back(direction_of(driver, chosen, is_put, true, true));
  }
  return found;
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string made;
  for (const std::byte each : bytes) {
    made += digits[std::to_integer<unsigned>(each) >> 4];
    made += digits[std::to_integer<unsigned>(each) & 15];
  }
  return made;
}

}  // namespace atl::tools
