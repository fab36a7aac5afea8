// SPDX-License-Identifier: BSD-3-Clause
//
// Events: counters of posts. A post adds one, from any image and without waiting; a wait takes as
// many as it asks for, on the image that has the event.
#pragma once

#include <front/coarray/process.hpp>
#include <front/coarray/status.hpp>

#include <cstddef>
#include <cstdint>

namespace atl::coarray {

void post_event(const remote_place& place, const status_variables& told) noexcept;

/// `own_place` is of this image.
void wait_for_event(std::byte* own_place, std::int64_t until_count,
                    const status_variables& told) noexcept;

/// The number of posts that no wait has taken.
std::int64_t query_event(const remote_place& place, const status_variables& told) noexcept;

}  // namespace atl::coarray
