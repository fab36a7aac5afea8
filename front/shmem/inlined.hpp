// SPDX-License-Identifier: BSD-3-Clause
//
// Asks whether a tool has replaced one of the functions of the interface that are compiled into
// programs (atoll_shmem/direct.h).
#pragma once

namespace atl::shmem {

/// Whether a tool that is loaded before the library has functions of its own with these names.
bool a_tool_replaces_functions() noexcept;

}  // namespace atl::shmem
