// SPDX-License-Identifier: BSD-3-Clause
//
// Reading the words of a subcommand by CLI11, in the same way for all of them: --help prints the
// help and is no error, and a word that is wrong names the subcommand whose help tells more.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace atl::tools {

/// Reads the words into what `app` was told; its name is the command that it is. False when they
/// asked for help, which has been printed. Throws `launch_refusal` with code 2 for a wrong word.
bool parse_words(CLI::App& app, std::vector<std::string> words);

}  // namespace atl::tools
