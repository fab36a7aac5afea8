// SPDX-License-Identifier: BSD-3-Clause
//
// A picture of a schedule: a bar for each rank, time from left to right; factors in yellow, solves
// in orange, updates in violet, and dark where a rank waited.
#pragma once

#include <apps/cholesky/journal.hpp>

#include <string>
#include <vector>

namespace cholesky {

/// Throws `atl::error` when the file cannot be written, or this was built without libpng.
void draw_schedule(const std::string& path, const std::vector<std::vector<span>>& of_ranks);

}  // namespace cholesky
