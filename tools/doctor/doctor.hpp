// SPDX-License-Identifier: BSD-3-Clause
//
// `atoll doctor`: looks at what jobs need here, and on the hosts that are named, and says what to
// do about what is missing. It changes nothing. Each finding is a line: ok, note or BAD, then what,
// then the remedy.
#pragma once

#include <string>
#include <vector>

namespace atl::tools {

/// Runs the subcommand with the words after its name; returns the exit status: 1 when something is
/// BAD. Throws `launch_refusal` or `atl::error`.
int doctor_command(std::vector<std::string> words);

}  // namespace atl::tools
