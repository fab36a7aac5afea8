// SPDX-License-Identifier: BSD-3-Clause
//
// The `atoll` command: one program, one folder per subcommand. This file only finds the subcommand;
// the rest of the line is its own.
#include <atoll/base/error.hpp>
#include <atoll/base/nearest.hpp>
#include <atoll/base/version.hpp>
#include <tools/bench/bench.hpp>
#include <tools/doctor/doctor.hpp>
#include <tools/hosts/hosts.hpp>
#include <tools/info/info.hpp>
#include <tools/run/program.hpp>
#include <tools/run/run.hpp>
#include <tools/tune/tune.hpp>

#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

namespace {

struct subcommand {
  const char* name;
  const char* help;
  int (*run)(std::vector<std::string> words);
};

constexpr subcommand subcommands[] = {
    {"run", "start a program as the ranks of a job", atl::tools::run_command},
    {"info", "version, build, transports, this machine, settings", atl::tools::info_command},
    {"bench", "measure beside MPI; report on it, compare (atoll bench --help)",
     atl::tools::bench_command},
    {"tune", "find the fastest algorithms of collectives, for later jobs",
     atl::tools::tune_command},
    {"doctor", "what jobs need, here and on other hosts, and what to do",
     atl::tools::doctor_command},
};

void print_help() {
  std::printf("Usage: atoll SUBCOMMAND [options]\n\nSubcommands:\n");
  for (const auto& each : subcommands) std::printf("  %-8s%s\n", each.name, each.help);
  std::printf("\nOptions:\n  --version\n  --help   also of each subcommand\n");
}

int unknown(const std::string& word) {
  std::vector<std::string> names{"--help", "--version"};
  for (const auto& each : subcommands) names.emplace_back(each.name);
  const auto near = atl::nearest(word, names);
  const auto hint = near.empty() ? "see atoll --help" : "did you mean atoll " + near + "?";
  std::fprintf(stderr, "atoll: there is no subcommand %s; %s\n", word.c_str(), hint.c_str());
  return 2;
}

int dispatch(const std::string& word, std::vector<std::string> arguments) {
  if (word == "daemon") return atl::tools::daemon_command(arguments, atl::version_text);
  for (const auto& each : subcommands)
    if (word == each.name) return each.run(std::move(arguments));
  if (word == "--version") {
    std::printf("atoll %s\n", atl::version_text);
    return 0;
  }
  if (word == "--help" || word == "-h" || word == "help") {
    print_help();
    return 0;
  }
  return unknown(word);
}

bool is_output_written() {
  return std::cout.flush().good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.empty()) {
    print_help();
    return 2;
  }
  try {
    const int code = dispatch(words.front(), {words.begin() + 1, words.end()});
    if (is_output_written()) return code;
    std::fprintf(stderr, "atoll %s: the output cannot be written; is the disk full?\n",
                 words.front().c_str());
    return code == 0 ? 1 : code;
  } catch (const atl::tools::launch_refusal& refused) {
    std::fprintf(stderr, "atoll %s: %s\n", words.front().c_str(), refused.message.c_str());
    return refused.code;
  } catch (const atl::error& refused) {
    std::fprintf(stderr, "atoll %s: %s\n", words.front().c_str(), refused.what());
    return 125;
  }
}
