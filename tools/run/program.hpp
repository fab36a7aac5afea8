// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the program to run, once and before anything is started, so that a name that cannot run
// gives one clear message and not one per rank.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace atl::tools {

/// A refusal of the launcher itself: one line, and the exit status that shells use for it.
struct launch_refusal {
  int code = 125;  // 126: cannot be executed, 127: not found, 2: usage
  std::string message;
};

/// The path to execute for a name as a shell would find it. `search` is PATH. Throws
/// `launch_refusal`.
std::string find_program(const std::string& name, std::string_view search);

/// The absolute path of this command; empty when the kernel does not tell it.
std::string own_path();

/// Cuts a command line into words as a shell does with blanks, quotes and backslashes; nothing is
/// expanded. Throws `launch_refusal` for a quote that is not closed.
std::vector<std::string> split_words(std::string_view line);

}  // namespace atl::tools
