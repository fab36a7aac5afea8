// SPDX-License-Identifier: BSD-3-Clause
//
// Bytes between a file and regions of memory, private or shared, which are walked in order. They
// pass through a buffer, so that the file sees large pieces whatever the layout in memory is.
//
// Threads: any, for regions that are mapped in this process.
#pragma once

#include <upc_io.h>

#include <cstddef>
#include <vector>

namespace atl::upc {

/// Memory of `bytes` bytes: at `local`, or, where that is null, at `shared` in blocks of
/// `block_bytes` over the threads (0: all on one).
struct memory_region {
  char* local = nullptr;
  atoll_upc_pointer shared = {};
  std::size_t block_bytes = 0;
  std::size_t bytes = 0;
};

/// The result of an operation: bytes, or -1 and an error number.
struct file_result {
  upc_off_t bytes = 0;
  int error = 0;
};

struct file_request {
  int descriptor = -1;
  bool writes = false;
  std::vector<upc_filevec_t> places;
  std::vector<memory_region> memory;
  std::size_t skipped = 0;  // bytes of the memory that others transfer, before this thread's
};

/// Reads until the end of the file, or writes all.
file_result transfer(const file_request& asked);

}  // namespace atl::upc
