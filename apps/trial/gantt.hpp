// SPDX-License-Identifier: BSD-3-Clause
//
// A picture of a schedule: a bar for each rank, time from left to right, in the colours of the
// kinds of work, and dark where nothing was recorded, as at the end of a rank that has finished
// first.
#pragma once

#include <apps/trial/journal.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace trial {

/// Throws `atl::error` when the variant has recorded nothing, the file cannot be written, or this
/// was built without libpng.
void draw_schedule(const std::string& path, std::string_view variant,
                   const std::vector<std::vector<span>>& of_ranks);

}  // namespace trial
