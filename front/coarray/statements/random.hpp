// SPDX-License-Identifier: BSD-3-Clause
//
// RANDOM_INIT: words for the seed of the compiler's generator.
#pragma once

#include <cstdint>
#include <span>

namespace atl::coarray {

/// Fills `words` with a seed. Repeatable: the same in each run of the program. Image-distinct:
/// different on each image; otherwise the same on images that have called this equally often.
void make_seed(bool is_repeatable, bool is_image_distinct, std::span<std::int32_t> words) noexcept;

}  // namespace atl::coarray
