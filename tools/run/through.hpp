// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that another launcher starts, by `atoll run --launcher 'mpirun -np %N %C'`. `atoll run`
// starts and watches that one command, and the ranks join by the protocol of the launcher (PMIx,
// PMI-1). Each process is told how many there must be: under a launcher whose protocol Atoll does
// not speak, the processes are refused and do not become N jobs of one.
#pragma once

#include <tools/run/options.hpp>

#include <string>
#include <vector>

namespace atl::tools {

/// A word quoted so that a shell reads it back unchanged.
std::string quoted_for_shell(const std::string& word);

/// The command with its places filled in: %N the number of ranks, %C what each has to run, %D the
/// working directory, %% a percent sign. Throws `launch_refusal` for others, and without %C.
std::string expand_launcher(const std::string& pattern, rank_id ranks, const std::string& command,
                            const std::string& directory);

/// The options of a job of one process, the launcher. Throws `launch_refusal`.
run_options through_launcher(run_options options);

}  // namespace atl::tools
