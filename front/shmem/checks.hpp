// SPDX-License-Identifier: BSD-3-Clause
//
// Checks that are made only with SHMEM_DEBUG: that arguments of collectives are symmetric and do
// not overlap, that all members make the same call, and that a work array holds what the program
// must have put there. A mistake ends the job with a message that names the call, the PEs and the
// values. Costs one gathering per collective.
#pragma once

#include <front/shmem/address.hpp>

#include <cstdint>

namespace atl::shmem {

/// A collective as a member calls it. All members must agree in the name, the root, the size and
/// the place of the result, which is the same object on all.
struct collective_call {
  const char* name;
  const void* dest;
  std::size_t dest_bytes;
  const void* source;
  std::size_t source_bytes;
  std::uint64_t agreed_bytes;  // 0 where members may differ
  int root = -1;
};

void check_collective_out_of_line(process_state& us, atl::team& among, const collective_call& call);
inline void check_collective(process_state& us, atl::team& among, const collective_call& call) {
  if (us.checks_calls) [[unlikely]]
    check_collective_out_of_line(us, among, call);
}

/// The work array of a call on an active set.
void check_work_array(process_state& us, const char* call, const long* work) noexcept;

/// An object that a PE waits for or tests: other PEs must be able to write it.
inline void check_waited(process_state& us, const char* call, const volatile void* variable,
                         std::size_t bytes) noexcept {
  if (us.checks_calls && bytes != 0 && offset_of(us, variable).memory == nullptr) [[unlikely]]
    refuse_address(call, variable, bytes);
}

}  // namespace atl::shmem
