// SPDX-License-Identifier: BSD-3-Clause
//
// From a pointer-to-shared to an address of its thread, with a check of both.
#pragma once

#include <front/upc/process_state.hpp>

#include <cstddef>

namespace atl::upc {

/// The address of these bytes in their owner's process. Ends the job, naming `call`, for a null
/// pointer and for bytes outside of shared memory.
std::byte* find(process_state& us, const char* call, atoll_upc_pointer p, std::size_t bytes);

}  // namespace atl::upc
