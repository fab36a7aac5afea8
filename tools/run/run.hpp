// SPDX-License-Identifier: BSD-3-Clause
//
// `atoll run`: starts the ranks of a job, on this machine, on several, or through another launcher.
// tools/README.md describes the two processes of the launcher and their parts; this is only the
// entry point for the command.
#pragma once

#include <string>
#include <vector>

namespace atl::tools {

/// Runs the subcommand with the words after its name; returns the exit status. Throws
/// `launch_refusal` or `atl::error`.
int run_command(std::vector<std::string> words);

}  // namespace atl::tools
