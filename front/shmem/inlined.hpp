// SPDX-License-Identifier: BSD-3-Clause
//
// The functions of the interface that are compiled into programs (atoll_shmem/direct.h): whether a
// tool has replaced one of them.
#pragma once

namespace atl::shmem {

/// Whether a tool that is loaded before the library has functions of its own under these names.
bool a_tool_replaces_functions() noexcept;

}  // namespace atl::shmem
