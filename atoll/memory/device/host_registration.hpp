// SPDX-License-Identifier: BSD-3-Clause
//
// Host memory that exists already and that a driver is told of, so that copies reach it as they
// reach pinned memory. A driver refuses every copy across the end of such a range, the program's
// own included; so whole heaps are registered, or nothing. All pages of a range exist from then on.
//
// Devices over CUDA's and HIP's calls have this. Threads: any.
#pragma once

#include <cstddef>

namespace atl::memory {

class host_registration {
 public:
  host_registration() = default;
  host_registration(const host_registration&) = delete;
  host_registration& operator=(const host_registration&) = delete;
  virtual ~host_registration() = default;

  /// Registers memory for all devices of this driver, until this one ends. False when the driver
  /// refuses.
  virtual bool register_host(std::byte* memory, std::size_t bytes) noexcept = 0;
  /// How many ranges this device has registered.
  virtual std::size_t registered() const noexcept = 0;
};

}  // namespace atl::memory
