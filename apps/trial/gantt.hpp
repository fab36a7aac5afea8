// SPDX-License-Identifier: BSD-3-Clause
//
// A picture of a schedule: a bar for each rank, time from left to right, in the colours of the
// kinds of work, and dark where nothing was recorded, as at the end of a rank that has finished
// first. Below the bars are an axis of time and the meanings of the colours. The parts that are
// worked on, such as tiles, have their names on the bars where there is room.
#pragma once

#include <apps/trial/journal.hpp>
#include <apps/trial/png_file.hpp>
#include <apps/trial/trial.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace trial {

enum class work_colour : std::uint8_t { yellow, orange, violet };

/// A kind of work in a picture.
struct kind_of_work {
  std::string_view meaning;
  work_colour colour;
};

struct schedule {
  std::string title;                // in lower case, as all texts
  std::vector<kind_of_work> kinds;  // by number
  std::vector<std::vector<span>> of_ranks;
};

/// The picture of a schedule with at least one span.
image picture_of(const schedule& recorded);

/// The spans of each rank, on all of them; collective.
std::vector<std::vector<span>> spans_of_all(group& ranks, const std::vector<span>& own);

/// Runs the variant once more, with the times recorded in its journal, and draws the schedule of
/// all ranks into a file. Collective; rank 0 throws as draw_schedule() does.
void draw_run(group& ranks, variant& drawn, journal& times, const std::string& path,
              schedule described);

/// Writes the picture to a file. Throws `atl::error` when the variant has recorded nothing, the
/// file cannot be written, or this was built without libpng.
void draw_schedule(const std::string& path, std::string_view variant, const schedule& recorded);

}  // namespace trial
