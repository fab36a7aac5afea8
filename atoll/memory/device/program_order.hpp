// SPDX-License-Identifier: BSD-3-Clause
//
// A program's work on a device that is to come after a transfer: by this interface a stream stops,
// and an event is not complete, until the processor lets it go. Every device of device_list.hpp
// implements this too. The work that is to come before a transfer is known by the marks of
// device.hpp. A stream is that of CUDA or HIP, or an immediate command list of Level Zero, of the
// device's own context.
//
// Threads: any. Nothing here waits.
#pragma once

#include <atoll/memory/device/device.hpp>

namespace atl::memory {

/// An event that the program has made by the driver, or by the vendor's library over it.
using program_event = void*;

class program_order {
 public:
  virtual ~program_order() = default;

  /// All that is put on the stream from now on waits for release() of what this returns. Null when
  /// the device refuses.
  virtual void* hold_stream(program_stream held) noexcept = 0;
  /// The event is incomplete from now on, whatever it was, and complete after release(). Null as
  /// above.
  virtual void* hold_event(program_event held) noexcept = 0;
  virtual void release(void* held) noexcept = 0;
};

}  // namespace atl::memory
