// SPDX-License-Identifier: BSD-3-Clause
//
// An open file of UPC-IO in this process: its descriptor, this thread's copy of the file pointer,
// and the asynchronous operation that is outstanding. Every thread has the file open for itself,
// and reads and writes at explicit positions. A common file pointer is a number that all threads
// keep alike, since all calls that move it are collective.
//
// The handle of the program is a block at one offset on all threads; each thread's part says where
// its own object is.
#pragma once

#include <upc_io.h>

#include <front/upc/file_transfer.hpp>
#include <front/upc/process_state.hpp>

#include <cstddef>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace atl::upc {

struct pending_operation {
  std::future<file_result> running;  // invalid: it is complete, with `result`
  file_result result;
  bool is_outstanding = false;
  bool is_common = false;  // by the common file pointer: threads did parts of it
  bool moves_pointer = false;
  upc_flag_t flags = 0;
};

struct open_file {
  std::string name;
  int descriptor = -1;
  int flags = 0;
  upc_off_t position = 0;
  atoll_upc_pointer handle = {};
  atoll_upc_pointer guard = {};  // a lock, for strong consistency
  std::vector<std::pair<std::string, std::string>> hints;
  std::vector<upc_hint_t> reported_hints;  // for UPC_GET_HINTS
  pending_operation pending;

  bool can_read() const noexcept { return (flags & UPC_WRONLY) == 0; }
  bool can_write() const noexcept { return (flags & UPC_RDONLY) == 0; }
  bool is_common() const noexcept { return (flags & UPC_COMMON_FP) != 0; }
  bool is_strong() const noexcept { return (flags & UPC_STRONG_CA) != 0; }
};

/// The file of a handle; null, and errno EBADF, when it is none.
open_file* file_of(process_state& us, atoll_upc_pointer handle) noexcept;

/// The same for functions that may not be called while an operation is outstanding: ends the job.
open_file* idle_file_of(const char* call, process_state& us, atoll_upc_pointer handle);

/// Writes to the device; collective, a barrier; 0, or the error of this thread.
int synchronise(process_state& us, open_file& file);

/// Closes all that the program has left open; collective.
void close_files(process_state& us);

}  // namespace atl::upc
