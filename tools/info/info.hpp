// SPDX-License-Identifier: BSD-3-Clause
//
// `atoll info`: prints what this Atoll is and what it finds on this machine. It starts no job and
// changes nothing, so it is safe to run anywhere, also inside a rank. Ask for its output first when
// something does not work.
#pragma once

#include <string>
#include <vector>

namespace atl::tools {

/// Runs the subcommand with the words after its name; returns the exit status, 1 when the
/// environment holds a setting that every job would refuse.
int info_command(std::vector<std::string> words);

}  // namespace atl::tools
