// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that the parts of the tools share: which rank this is before and after the client
// has started, and switches in the environment.
#pragma once

#include <cstdint>

namespace atl::gex {

/// This process's rank: the started client's, else what the launcher said, else 0.
std::uint32_t tools_rank() noexcept;

/// The value of a yes-or-no variable, which is read again each time and not reported; any other
/// text counts as no.
bool switched_on(const char* variable) noexcept;

/// Prints the message on standard error, then pauses for a debugger or prints a backtrace,
/// whichever the environment asks for, and aborts.
[[noreturn, gnu::cold]] void fail_program(const char* message) noexcept;

}  // namespace atl::gex
