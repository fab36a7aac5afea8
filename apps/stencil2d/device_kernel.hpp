// SPDX-License-Identifier: BSD-3-Clause
//
// The loop of kernel.hpp on a device. Its source is a text in this program, which the vendor's
// library compiles when the program runs: NVRTC for CUDA, hipRTC for HIP. No build needs a toolkit.
// The device of the tests has no such library, and runs the host's kernel on its stream instead.
// Sums are formed in the order of the host's kernel and rounded alike, so the bits are the same.
//
// Threads: one, on which the device's context stays current as long as a kernel lives.
#pragma once

#include <apps/stencil2d/comparison.hpp>
#include <atoll/memory/device/device.hpp>

#include <memory>
#include <string>

namespace stencil2d {

class device_kernel {
 public:
  virtual ~device_kernel() = default;

  /// Computes the points of a region of `out` from `in`, after all work that is on the stream. Both
  /// are the start of a field's memory on the device.
  virtual void start(const double* in, double* out, const rect& region) = 0;
  virtual atl::memory::program_stream stream() const noexcept = 0;
  /// The name of the library that has compiled the kernel.
  virtual std::string maker() const = 0;
};

/// Throws `atl::error` where no library compiles kernels for the device.
void check_kernel_maker(const atl::memory::device& device);

/// `weights` is the table on the device. Throws `atl::error` also where the compiler fails.
std::unique_ptr<device_kernel> make_device_kernel(const atl::memory::device& device,
                                                  const setting& given, const double* weights);

}  // namespace stencil2d
