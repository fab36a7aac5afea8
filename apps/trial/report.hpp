// SPDX-License-Identifier: BSD-3-Clause
//
// The output for a person, on rank 0: the work, a row for each variant, the verdict. And the same
// as JSON for programs.
#pragma once

#include <apps/trial/trial.hpp>

namespace trial {

/// Shows what runs, on a terminal only, in a line that is written over.
progress progress_on_terminal(bool speak);

void print(std::string_view app, const work& given, const options& chosen, const outcome& result);

/// Throws `atl::error` when chosen.json_path cannot be written.
void write_json(std::string_view app, std::string_view implementation, const work& given,
                const options& chosen, const outcome& result);

/// Does so where a file is named. Returns false, and says why on standard error, when it cannot be
/// written: other ranks may wait for this one to go on.
bool write_json_if_named(std::string_view app, std::string_view implementation, const work& given,
                         const options& chosen, const outcome& result);

}  // namespace trial
