// SPDX-License-Identifier: BSD-3-Clause
//
// Which threads of a rank communicate. Chosen at start, by a program or by ATOLL_THREADS; what a
// mode does not need is not done (locks, wakings).
#pragma once

#include <cstdint>

namespace atl {

/// `single`: the rank has one thread. `funnelled`: it has several, and the one that made the
/// runtime communicates. `any`: all of them may.
enum class thread_mode : std::uint8_t { single, funnelled, any };

}  // namespace atl
