// SPDX-License-Identifier: BSD-3-Clause
//
// `atoll info`: what this Atoll is and what it sees here.
#pragma once

#include <string>
#include <vector>

namespace atl::tools {

/// Runs the subcommand with the words after its name; returns the exit status, 1 when the
/// environment holds a setting that every job would refuse.
int info_command(std::vector<std::string> words);

}  // namespace atl::tools
