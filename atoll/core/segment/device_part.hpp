// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's part of a segment in the memory of a device, as another rank knows it: the kind, the
// handle by which a neighbour opens it, and, once that has been tried, the address at which it is
// seen here and the device of ours that copies to and from it.
#pragma once

#include <atoll/memory/device/device.hpp>

#include <cstddef>

namespace atl {

struct device_part {
  memory::memory_kind kind = memory::memory_kind::host;
  bool is_exported = false;
  memory::exported_memory exported;

  bool was_tried = false;  // whether opening it was tried
  std::byte* opened = nullptr;
  memory::device* through = nullptr;
};

}  // namespace atl
