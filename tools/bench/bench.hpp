// SPDX-License-Identifier: BSD-3-Clause
//
// `atoll bench`: measures Atoll beside its peers, and makes reports of it. The work is done by
// Python programs that are installed with Atoll (share/atoll/bench); this finds an interpreter that
// can run them and becomes it.
#pragma once

#include <string>
#include <vector>

namespace atl::tools {

/// Runs the subcommand with the words after its name. Does not return when an interpreter was
/// found; throws `launch_refusal` when none was.
int bench_command(std::vector<std::string> words);

}  // namespace atl::tools
