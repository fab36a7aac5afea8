// SPDX-License-Identifier: BSD-3-Clause
//
// A run is some bytes at an address: what lists of non-contiguous transfers are made of
// (scattered.hpp). It has its own header for the headers of fronts that hand runs to the library.
#pragma once

#include <cstddef>

namespace atl {

/// Some bytes at an address.
struct memory_run {
  void* address = nullptr;
  std::size_t bytes = 0;
};

}  // namespace atl
