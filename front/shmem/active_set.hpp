// SPDX-License-Identifier: BSD-3-Clause
//
// The teams behind active sets: PEs start, start + 2^log, ... of which only the members call. A
// team is made when its set is first used and kept until finalization. The program's work array
// (pSync) is not needed for that, and keeps the value that the program gave it.
#pragma once

#include <front/shmem/process_state.hpp>

namespace atl::shmem {

/// An active set as calls name it.
struct active_set_name {
  int start;
  int log_stride;
  int size;
  const long* work;  // the program's array (pSync), which is not used
};

/// The team of an active set; ends the job where there is no such set. Null for a caller that is no
/// member: programs make such calls, and they do nothing.
atl::team* find_active_set(const char* call, const active_set_name& set) noexcept;

}  // namespace atl::shmem
