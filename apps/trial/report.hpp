// SPDX-License-Identifier: BSD-3-Clause
//
// The report on rank 0: the work, a row for each variant, the verdict; and the same as JSON for
// programs.
#pragma once

#include <apps/trial/trial.hpp>

namespace trial {

/// Shows what runs, on a terminal only, in a line that is written over.
progress progress_on_terminal(bool speak);

/// Prints the report. When it cannot be written, says so on standard error and returns false.
bool print(std::string_view app, const work& planned, const options& chosen, const outcome& result);

/// Throws `atl::error` when chosen.json_path cannot be written.
void write_json(std::string_view app, std::string_view implementation, const work& planned,
                const options& chosen, const outcome& result);

/// Calls write_json() where a file is named. When it cannot be written, prints why on standard
/// error and returns false instead of throwing, because other ranks may wait for this one.
bool write_json_if_named(std::string_view app, std::string_view implementation, const work& planned,
                         const options& chosen, const outcome& result);

}  // namespace trial
