// SPDX-License-Identifier: BSD-3-Clause
//
// The turn of a thread that serves others and sleeps in between. Where a program computes on the
// same core, a thread that wakes runs at once only if it has asked for a shorter turn than the
// computing thread; otherwise it waits until that turn is over, some milliseconds at worst. A
// thread may ask for short turns without privileges: it gets no more of the core, but gets it
// sooner. Linux 6.12 and later do so; earlier kernels ignore the wish.
#pragma once

#include <cstdint>

namespace atl {

/// The shortest turn that Linux grants.
inline constexpr std::int64_t short_turn_ns = 100'000;

/// Asks for short turns of the calling thread; nothing where the kernel does not know them, or
/// where the thread has a real-time or another special policy.
void ask_for_short_turns() noexcept;

/// The turn that the calling thread has asked for, or the usual one; 0 where the kernel does not
/// say.
std::int64_t turn_ns() noexcept;

}  // namespace atl
