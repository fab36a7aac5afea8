// SPDX-License-Identifier: BSD-3-Clause
//
// `atoll tune`: measures which algorithm of each collective is fastest on this machine or these
// hosts, and writes the table that later jobs use by themselves. The jobs that measure are
// programs of their own (measure/); the command starts them, one for each number of ranks, and
// makes rules of their records.
#pragma once

#include <string>
#include <vector>

namespace atl::tools {

/// Runs the subcommand with the words after its name; returns the exit status. Throws
/// `launch_refusal` or `atl::error`.
int tune_command(std::vector<std::string> words);

/// `atoll tune show|compare|export|check|page`. The last one becomes another program, and returns
/// only if that fails.
int tune_show(const std::string& path);
int tune_compare(const std::string& before, const std::string& after);
int tune_export(const std::string& path, const std::string& to);
int tune_check(const std::string& path, const std::string& records);
int tune_page(const std::string& path, const std::string& records, const std::string& to);

}  // namespace atl::tools
