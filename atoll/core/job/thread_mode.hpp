// SPDX-License-Identifier: BSD-3-Clause
//
// Which threads of a rank communicate. Chosen at start, by a program or by ATOLL_THREADS; what a
// mode does not need is not done (locks, wakings).
#pragma once

#include <cstdint>

namespace atl {

/// Which threads communicate; decides what locking is needed at all.
enum class thread_mode : std::uint8_t { single, funnelled, any };

}  // namespace atl
