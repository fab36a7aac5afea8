// SPDX-License-Identifier: BSD-3-Clause
//
// The file that holds the memory of a host's ranks: anonymous (a memfd), so that it has no name in
// a file system and is gone with the last process that maps it. It is sealed: a process that has it
// may let it grow and can never shrink it, because a rank that touches a page beyond the end is
// killed, and nobody can execute it as a program.
//
// The launcher, the bootstraps and the core make and size it; none of them includes another.
#pragma once

#include <atoll/base/system/descriptor.hpp>

#include <cstddef>

namespace atl {

/// A new file of size 0, close-on-exec. Throws `atl::error`.
descriptor make_memory_file();

/// Grows the file to at least this size, whatever other processes do to it at the same time.
/// Throws `atl::error`.
void grow_memory_file(const descriptor& file, std::size_t bytes);

}  // namespace atl
