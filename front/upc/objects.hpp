// SPDX-License-Identifier: BSD-3-Clause
//
// Static shared objects of the program's units (atoll_upc/program.h).
#pragma once

#include <front/upc/process_state.hpp>

namespace atl::upc {

/// The number of threads that the program was translated for; 0: any.
int static_threads() noexcept;

/// Whether a unit of the program lets several threads of this process access shared memory.
bool has_several_threads() noexcept;

/// Lays the objects of all units out in shared memory, filled with zeros, sets their offsets, and
/// runs the initialisers of the units. Collective. Throws `atl::error` where that is not possible.
void open_objects(process_state& us);

}  // namespace atl::upc
