// SPDX-License-Identifier: BSD-3-Clause
//
// How large the shared memory of the transport shm is. The runtime plans its host's memory by this
// before any transport exists.
#pragma once

#include <cstddef>

namespace atl::transport::shm {

/// Sizes on which all ranks of a host must agree.
struct geometry {
  std::size_t ring_cells = 512;  // a power of two

  /// Bytes of control area that each rank needs.
  std::size_t control_bytes() const noexcept;
};

}  // namespace atl::transport::shm
