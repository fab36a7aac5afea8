// SPDX-License-Identifier: BSD-3-Clause
//
// Events: counters of posts. A post adds one, from any image and without waiting; a wait takes as
// many as it asks for, on the image that has the event. Where there is room for it, what waits have
// taken is counted in a word of its own, in another cache line, which only that image writes: a
// wait that changed the word of the posts would take its line from the images that post.
#pragma once

#include <front/coarray/process.hpp>
#include <front/coarray/status.hpp>

#include <cstddef>
#include <cstdint>

namespace atl::coarray {

void post_event(const remote_place& place, const status_variables& told) noexcept;

/// `own_place` is of this image. The word of what was taken is so many bytes behind it; 0: there is
/// none.
void wait_for_event(std::byte* own_place, std::size_t to_taken, std::int64_t until_count,
                    const status_variables& told) noexcept;

/// The number of posts that no wait has taken.
std::int64_t query_event(const remote_place& place, std::size_t to_taken,
                         const status_variables& told) noexcept;

}  // namespace atl::coarray
