// SPDX-License-Identifier: BSD-3-Clause
//
// The command line. In the help the options of the work come first, then those of the measurement.
#include <CLI/CLI.hpp>
#include <apps/trial/options.hpp>

#include <algorithm>
#include <iostream>

namespace trial {
namespace {

// Each name once, in the order in which they were given first.
std::vector<std::string> without_repetitions(const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (std::ranges::find(found, name) == found.end()) found.push_back(name);
  return found;
}

}  // namespace

std::optional<int> parse(int argc, char** argv, program& program, bool speak, options& into) {
  CLI::App app{std::string(program.about())};
  program.add_options(app);
  std::vector<std::string> known = program.variants();
  for (const std::string& name : program.measures()) known.push_back(name);
  std::string names;
  for (const std::string& name : known) names += (names.empty() ? "" : ", ") + name;
  app.add_option(
         "--variants", into.variants,
         "of " + names +
             (program.measures().empty() ? " (default: all)" : " (default: all but the last)"))
      ->delimiter(',')
      ->check(CLI::IsMember(known))
      ->option_text("NAME,...");
  app.add_option("-r,--rounds", into.rounds, "timed runs of each variant; none begins after 60 s")
      ->check(CLI::Range(1U, 10'000U))
      ->capture_default_str();
  app.add_flag("-q,--quiet", into.quiet, "print only the last line");
  app.add_option("--json", into.json_path, "write results and timings to this file")
      ->option_text("FILE");
  try {
    app.parse(argc, argv);
    into.variants = without_repetitions(into.variants);
    return std::nullopt;
  } catch (const CLI::Success&) {
    if (speak) std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& mistake) {
    if (speak) std::cerr << program.app() << ": " << mistake.what() << "; see --help\n";
    return 2;
  }
}

}  // namespace trial
