// SPDX-License-Identifier: BSD-3-Clause
//
// Descriptors of other processes of the machine. A process that tells others the number of a
// descriptor and the identity of its file lets them take a duplicate through the kernel
// (pidfd_getfd). The kernel allows that to those that may reach its memory
// (memory/kernel_copy.hpp), some containers only with CAP_SYS_PTRACE, and kernels before 5.6 to
// nobody. The identity shows where a process number means another process, as in another namespace,
// and where the number was given to another file meanwhile.
#pragma once

#include <atoll/base/system/descriptor.hpp>

#include <cstdint>

namespace atl {

/// Tells open files apart, alike in all processes; 0 where the number is no open descriptor.
std::uint64_t file_identity(int number) noexcept;

/// A duplicate here of the descriptor `number` of another process, which has the file of this
/// identity. Empty, and errno says why, where the kernel refuses or the file is another one.
descriptor duplicate_of_foreign(std::uint32_t process, int number, std::uint64_t identity) noexcept;

}  // namespace atl
