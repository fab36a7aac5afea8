// SPDX-License-Identifier: BSD-3-Clause
//
// A program's own work on a device, without Atoll, by the calls of each vendor's driver: streams,
// copies on them and events. A stream of Level Zero is an immediate command list with barriers
// between its copies. A call that fails throws. Threads: one.
#pragma once

#include <atoll/memory/device/program_order.hpp>

#include <cstddef>
#include <memory>

class program_work {
 public:
  virtual ~program_work() = default;

  virtual void* make_stream() = 0;
  virtual void end_stream(void* stream) = 0;
  virtual void* make_event() = 0;
  virtual void end_event(void* event) = 0;

  virtual void copy(void* stream, void* to, const void* from, std::size_t bytes) = 0;
  virtual void record(void* event, void* stream) = 0;
  virtual void wait_for(void* stream, void* event) = 0;
  virtual bool is_complete(void* event) = 0;
};

/// The work on a device that Atoll has opened.
std::unique_ptr<program_work> work_on(const atl::memory::device& device);
