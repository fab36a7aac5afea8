// SPDX-License-Identifier: BSD-3-Clause
//
// How one transfer stands to what the program does on a device by itself: kernels and copies on its
// streams, and its events. All of them are of one device, of the context in which Atoll opens it.
//
//   waits_for_streams   no byte moves before all that was put there until the call has ended
//   waits_for_events    nor before these are complete; each was recorded before the call
//   holds_streams       what is put there after the call begins when the transfer is complete
//   signals_events      these are incomplete from the call on, and complete when the transfer is
//
// The same stream may stand in several lists. Progress of this rank moves the transfer, so a thread
// that waits for a held stream without progress, and no other thread makes it, waits for ever.
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
