// SPDX-License-Identifier: BSD-3-Clause
//
// Puts, gets and copies that are ordered with a program's work on a device (device_order.hpp). Each
// returns at once: the transfer begins when its stream or event has been reached, on whichever way
// it would take without an order, and its end releases the streams and events that wait for it. The
// source of a put is read until the put is complete.
//
// Errors end the job with a message: a stream, event or device that the driver refuses, and all
// that a put or get would refuse. Threads: any, outside of handlers; the event belongs to the
// caller.
#pragma once

#include <atoll/core/device/device_order.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/core/segment/segment.hpp>

#include <cstddef>

namespace atl {

/// A transfer between memory of this process and the part of a segment that a rank owns.
struct ordered_transfer {
  segment& memory;
  rank_id peer;
  void* remote;  // as its owner addresses it
  void* local;   // of a put: only read
  std::size_t bytes;
  memory::device* device = nullptr;  // that `local` is memory of; null: host memory
};

void put_nb_ordered(const ordered_transfer& transfer, const device_order& order, event& done);
void get_nb_ordered(const ordered_transfer& transfer, const device_order& order, event& done);

/// Two ranges of host memory that are mapped in this process, and do not overlap.
struct ordered_copy {
  void* to;
  const void* from;
  std::size_t bytes;
};
void copy_nb_ordered(runtime& owner, const ordered_copy& copy, const device_order& order,
                     event& done);

}  // namespace atl
