// SPDX-License-Identifier: BSD-3-Clause
//
// The one clock of the runtime: monotonic, shared by all processes of a host, read without a system
// call (vDSO, about 20 ns). Times and spans are 64-bit nanoseconds, the name ending in `_ns`.
#pragma once

#include <time.h>

#include <cstdint>

namespace atl {

/// Nanoseconds since an arbitrary point, the same for all processes of the host.
inline std::int64_t now_ns() noexcept {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace atl
