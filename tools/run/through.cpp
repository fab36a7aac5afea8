// SPDX-License-Identifier: BSD-3-Clause
//
// The command line for another launcher. %C contains an `env` command with the variables that the
// ranks need, because launchers pass few variables on to other hosts.
#include <tools/run/through.hpp>

#include <atoll/base/settings.hpp>
#include <atoll/base/system/cpu.hpp>
#include <tools/run/program.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace atl::tools {
namespace {

constexpr std::array kept_back{"ATOLL_JOB",         "ATOLL_RANK",     "ATOLL_SIZE",
                               "ATOLL_MEMBER",      "GASNET_SPAWNFN", "GASNET_CSPAWN_CMD",
                               "GASNET_PSHM_NODES", "GASNET_MASTERIP"};

std::string working_directory() {
  char directory[4096];
  return getcwd(directory, sizeof directory) ? directory : ".";
}

/// The command that every process runs: `env`, the variables, the program and its arguments.
std::string rank_command(const run_options& options) {
  std::string line = "env ATOLL_SIZE=" + std::to_string(options.size);
  for (const char* prefix : {"ATOLL_", "GASNET_", "UPCXX_", "LD_LIBRARY_PATH="})
    for (const auto& variable : foreign_variables(prefix)) {
      const auto name = variable.substr(0, variable.find('='));
      if (std::ranges::find(kept_back, name) == kept_back.end())
        line += " " + quoted_for_shell(variable);
    }
  for (const auto& variable : options.set_variables) line += " " + quoted_for_shell(variable);
  auto program = find_program(options.command.front(), foreign_variable("PATH"));
  if (!program.starts_with('/')) program = working_directory() + "/" + program;
  line += " " + quoted_for_shell(program);
  for (auto word = options.command.begin() + 1; word != options.command.end(); ++word)
    line += " " + quoted_for_shell(*word);
  return line;
}

}  // namespace

std::string quoted_for_shell(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string line = "'";
  for (const char c : word) line += c == '\'' ? "'\\''" : std::string(1, c);
  return line + "'";
}

std::string expand_launcher(const std::string& pattern, rank_id ranks, const std::string& command,
                            const std::string& directory) {
  std::string line;
  bool has_command = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      line += pattern[i];
      continue;
    }
    const char place = i + 1 < pattern.size() ? pattern[++i] : ' ';
    if (place == 'N')
      line += std::to_string(ranks);
    else if (place == 'C')
      line += command;
    else if (place == 'D')
      line += quoted_for_shell(directory);
    else if (place == '%')
      line += '%';
    else
      throw launch_refusal{2, std::string("--launcher: %") + place +
                                  " stands for nothing; there are %N, the number of ranks, %C, "
                                  "what each runs, %D, the working directory, and %%"};
    has_command = has_command || place == 'C';
  }
  if (!has_command)
    throw launch_refusal{2, "--launcher '" + pattern +
                                "' has no %C, which stands for what each rank runs; for example "
                                "--launcher 'mpirun -np %N %C'"};
  return line;
}

run_options through_launcher(run_options options) {
  if (options.size == 0) options.size = cores_available();
  const auto directory = options.directory.empty() ? working_directory() : options.directory;
  const auto line =
      expand_launcher(options.launcher, options.size, rank_command(options), directory);
  // Slurm's srun reads there which protocol its processes get, unless an option says so.
  if (foreign_variable("SLURM_MPI_TYPE").empty())
    options.set_variables.emplace_back("SLURM_MPI_TYPE=pmix");
  options.size = 1;
  options.command = {"/usr/bin/env", "-u", "ATOLL_JOB",         "-u",      "ATOLL_RANK", "-u",
                     "ATOLL_SIZE",   "-u", "GASNET_PSHM_NODES", "/bin/sh", "-c",         line};
  return options;
}

}  // namespace atl::tools
