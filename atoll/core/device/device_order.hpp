// SPDX-License-Identifier: BSD-3-Clause
//
// The order of one transfer with respect to what the program itself does on a device: kernels and
// copies on its streams, and its events. All are of one device, in the context that Atoll opens.
//
//   waits_for_streams   no byte moves until all that was put there before the call has ended
//   waits_for_events    nor before these are complete; each was recorded before the call
//   holds_streams       what is put there after the call begins when the transfer is complete
//   signals_events      these are incomplete from the call on, and complete when the transfer is
//
// The same stream may stand in several lists. Progress of this rank moves the transfer, so a thread
// waits for ever for a held stream if neither it nor another thread makes progress.
//
// Threads: a value. The lists need only live until the call returns.
#pragma once

#include <atoll/memory/device/program_order.hpp>

#include <span>

namespace atl {

struct device_order {
  memory::device* device = nullptr;
  std::span<const memory::program_stream> waits_for_streams = {};
  std::span<const memory::program_event> waits_for_events = {};
  std::span<const memory::program_stream> holds_streams = {};
  std::span<const memory::program_event> signals_events = {};
};

}  // namespace atl
