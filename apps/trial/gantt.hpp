// SPDX-License-Identifier: BSD-3-Clause
//
// A picture of a schedule: a bar for each rank, time from left to right, in the colours of the
// kinds of work, and dark where nothing was recorded, as at the end of a rank that has finished
// first. Below the bars are an axis of time and the meanings of the colours. The parts that are
// worked on, such as tiles, have their names on the bars where there is room.
#pragma once

#include <apps/trial/journal.hpp>
#include <apps/trial/png_file.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace trial {

struct schedule {
  std::string title;                      // in lower case, as all texts
  std::array<std::string_view, 3> kinds;  // the meanings of yellow, orange, violet; empty: not used
  std::vector<std::vector<span>> of_ranks;
};

/// The picture of a schedule with at least one span.
image picture_of(const schedule& recorded);

/// Writes the picture to a file. Throws `atl::error` when the variant has recorded nothing, the
/// file cannot be written, or this was built without libpng.
void draw_schedule(const std::string& path, std::string_view variant, const schedule& recorded);

}  // namespace trial
