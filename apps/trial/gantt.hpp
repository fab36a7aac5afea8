// SPDX-License-Identifier: BSD-3-Clause
//
// A picture of a schedule: a bar for each rank, time from left to right, in the colours of the
// kinds of work, and dark where a rank did nothing that was recorded: it waited.
#pragma once

#include <apps/trial/journal.hpp>

#include <string>
#include <vector>

namespace trial {

/// Throws `atl::error` when the file cannot be written, or this was built without libpng.
void draw_schedule(const std::string& path, const std::vector<std::vector<span>>& of_ranks);

}  // namespace trial
