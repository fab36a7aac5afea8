// SPDX-License-Identifier: BSD-3-Clause
//
// Events: counters of posts. A post adds one, from any image and without waiting; a wait takes as
// many as it asks for, on the image that has the event.
#pragma once

#include <front/coarray/locks.hpp>
#include <front/coarray/status.hpp>

namespace atl::coarray {

void post_event(const word_object& named, const status_variables& told) noexcept;
void wait_for_event(const word_object& named, int until_count,
                    const status_variables& told) noexcept;

/// The number of posts that no wait has taken.
int query_event(const word_object& named) noexcept;

}  // namespace atl::coarray
