// SPDX-License-Identifier: BSD-3-Clause
//
// LOCK, UNLOCK and CRITICAL. A lock is one word in the memory of the image that is named. It has
// the holder, and whether an image waits. A critical section is a lock of image 1 of the team.
#pragma once

#include <front/coarray/process_state.hpp>
#include <front/coarray/status.hpp>

namespace atl::coarray {

/// With `acquired` it does not wait, and sets there whether it took the lock.
void lock(const remote_place& place, int* acquired, const status_variables& status) noexcept;
void unlock(const remote_place& place, const status_variables& status) noexcept;

}  // namespace atl::coarray
