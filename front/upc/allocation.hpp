// SPDX-License-Identifier: BSD-3-Clause
//
// Allocation for other chapters of the library: locks, domains of atomics, static objects.
#pragma once

#include <front/upc/process_state.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace atl::upc {

/// Memory of this thread's shared heap, aligned to 64 bytes; null for 0 bytes and when there is not
/// enough.
atoll_upc_pointer allocate_local(process_state& us, std::size_t bytes);

/// Memory at one offset on all threads, as upc_all_alloc gives it; collective. Ends the job, naming
/// `call`, when threads ask for different amounts.
atoll_upc_pointer allocate_together(process_state& us, const char* call, std::size_t nblocks,
                                    std::size_t nbytes);

/// Frees a block that these have returned on any thread; does nothing for null. Ends the job for
/// another pointer.
void free_shared(process_state& us, const char* call, atoll_upc_pointer ptr);

/// The begin and the end, as offsets, of the allocation that holds the pointer's element; two zeros
/// when none does. Empty where this thread cannot tell: static objects, and memory that upc_alloc
/// gave to other threads.
std::optional<std::pair<std::uint64_t, std::uint64_t>> find_allocation(process_state& us,
                                                                       atoll_upc_pointer p);

}  // namespace atl::upc
