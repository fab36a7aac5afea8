// SPDX-License-Identifier: BSD-3-Clause
//
// The text that rank 0 prints and the file that it writes.
#pragma once

#include <apps/gups/options.hpp>
#include <apps/gups/run.hpp>

namespace gups {

/// Whether no word of any variant is wrong.
bool right(const results& outcome);

void print(const options& chosen, const results& outcome, unsigned ranks);

/// Writes chosen.json_path; throws `atl::error` when it cannot be written.
void write_json(const options& chosen, const results& outcome, unsigned ranks);

}  // namespace gups
