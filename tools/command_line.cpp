// SPDX-License-Identifier: BSD-3-Clause
//
// The one call of CLI11's parser. It takes words from the back of a list.
#include <tools/command_line.hpp>
#include <tools/run/program.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

namespace atl::tools {

bool parse_words(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return false;
  } catch (const CLI::ParseError& wrong) {
    throw launch_refusal{2, std::string(wrong.what()) + "; see " + app.get_name() + " --help"};
  }
  return true;
}

}  // namespace atl::tools
