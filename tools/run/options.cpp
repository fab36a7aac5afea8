// SPDX-License-Identifier: BSD-3-Clause
//
// The command line of `atoll run`. Options end at the first word that is none: that is the program,
// and everything after it is the program's own.
#include <CLI/CLI.hpp>
#include <tools/command_line.hpp>
#include <tools/run/options.hpp>

#include <atoll/base/nearest.hpp>
#include <tools/run/program.hpp>

#include <memory>
#include <utility>

namespace atl::tools {
namespace {

constexpr const char* about =
    "Starts N copies of a program as the ranks of one job, on this machine or on --hosts.\n\n"
    "Any program can be started; each sees ATOLL_RANK and ATOLL_SIZE. When a rank fails, the "
    "others\n"
    "are ended and its exit code is returned (128 + signal for a signal, 124 after --timeout).";

/// As CLI11 writes it, except the usage line: the words after the options are the program's.
class run_formatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return "\nUsage: atoll run [options] program [arguments]\n";
  }
};

void add_options(CLI::App& app, run_options& options) {
  app.add_option("-n,--ranks", options.size, "number of ranks (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(rank_id{1}, ranks_max, "1 to " + std::to_string(ranks_max)));
  app.add_option("-e,--env", options.set_variables,
                 "set a variable for the ranks (may be repeated)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--unset", options.unset_variables, "take a variable away from the ranks")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("-C,--dir", options.directory, "the ranks' working directory")->type_name("DIR");
  app.add_option("--bind", options.bind,
                 "where each rank may run: none, core, numa (ranks take turns), or a list of\n"
                 "processors such as 0,2,4-7, one per rank in turn")
      ->type_name("PLACES");
  app.add_flag(
      "--same-addresses", options.same_addresses,
      "code, libraries and globals at the same addresses in all ranks, as in processes that\n"
      "fork; for programs that share objects with virtual functions or pointers to code");
  app.add_option(
         "--launcher", options.launcher,
         "let another launcher start the ranks: --launcher 'mpirun -np %N %C'; %N stands for\n"
         "their number, %C for what each runs, %D for the working directory")
      ->type_name("CMD");
  app.add_flag("-t,--tag", options.tag, "put [rank] before each line of output, lines kept whole");
  app.add_option("-o,--output-file", options.output_file,
                 "write rank R's output to FILE.R, or to FILE/rank.R if FILE is a folder")
      ->type_name("FILE");
  app.add_option("--timeout", options.timeout_s,
                 "end the job after that long and tell what each rank was doing")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 1e9, "0.001 to 1e9"));
  app.add_option("--wrap", options.wrap, "put CMD before the program: --wrap 'strace -f'")
      ->type_name("CMD");
  app.add_option("--debugger", options.wrap,
                 "as --wrap, and Ctrl-C is left to it: --debugger 'gdb --args'")
      ->type_name("CMD");
  app.add_option("--wrap-ranks", options.wrap_ranks,
                 "only these ranks get --wrap or --debugger: --wrap-ranks 0,2")
      ->type_name("RANKS")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("-v,--verbose", options.verbose, "tell what is started and how each rank ended");
}

void add_host_options(CLI::App& app, run_options& options) {
  const char* group = "Several hosts";
  app.add_option("-H,--hosts", options.hosts,
                 "hosts and how many ranks each takes (default 1): --hosts a:2,b:2")
      ->type_name("HOST[:SLOTS],...")
      ->group(group);
  app.add_option("--hostfile", options.hostfile, "the same from a file, a line each: HOST slots=N")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--rsh", options.rsh,
                 "starts a command on a host: CMD HOST COMMAND (default: " + options.rsh + ")")
      ->type_name("CMD")
      ->group(group);
  app.add_option("--atoll-path", options.atoll_path,
                 "the atoll command on the hosts (default: the path of this one)")
      ->type_name("PATH")
      ->group(group);
  app.add_option("--interface", options.interface,
                 "what the launcher's connections use: eth0, 10.1.0.5 or 10.1.0.0/24\n"
                 "(default: the interfaces that lead to the hosts)")
      ->type_name("WHERE")
      ->group(group);
  app.add_option("--radix", options.radix, "how many hosts each host starts (default: 32)")
      ->type_name("N")
      ->check(CLI::Range(1U, 1024U, "1 to 1024"))
      ->group(group);
  app.add_option("--start-timeout", options.start_timeout_s,
                 "how long a host may take until it is there (default: 60)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 1e6, "0.1 to 1e6"))
      ->group(group);
  app.add_option("--link-timeout", options.link_timeout_s,
                 "end the job when nothing was heard of a host for so long (default: 20)")
      ->type_name("SECONDS")
      ->check(CLI::Range(1.0, 1e6, "1 to 1e6"))
      ->group(group);
}

std::string unknown_option(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  const auto asked = word.substr(0, word.find('='));
  const auto near = nearest(asked, names);
  return "unknown option " + asked +
         (near.empty() ? "; see atoll run --help" : "; did you mean " + near + "?");
}

void check_hosts(const CLI::App& app, const run_options& options) {
  const bool several = !options.hosts.empty() || !options.hostfile.empty();
  if (!several && app.count("--hosts") + app.count("--hostfile") > 0)
    throw launch_refusal{2, "--hosts or --hostfile is empty; give --hosts HOST:SLOTS,HOST:SLOTS"};
  if (!options.hosts.empty() && !options.hostfile.empty())
    throw launch_refusal{2, "--hosts and --hostfile exclude each other: give one of them"};
  for (const char* name :
       {"--rsh", "--atoll-path", "--interface", "--radix", "--start-timeout", "--link-timeout"})
    if (!several && app.count(name) > 0)
      throw launch_refusal{2,
                           std::string(name) + " is for jobs on several hosts: give --hosts too"};
  for (const char* name : {"--debugger", "--output-file"})
    if (several && app.count(name) > 0)
      throw launch_refusal{2,
                           std::string(name) + " is for jobs on this machine: leave --hosts away"};
}

void check_launcher(const CLI::App& app) {
  if (app.count("--launcher") == 0) return;
  for (const char* name : {"--hosts", "--hostfile", "--bind", "--tag", "--output-file", "--wrap",
                           "--debugger", "--same-addresses", "--unset"})
    if (app.count(name) > 0)
      throw launch_refusal{2, std::string(name) +
                                  " is for ranks that atoll run starts itself: "
                                  "leave it or --launcher away"};
}

void check(const CLI::App& app, const run_options& options) {
  check_hosts(app, options);
  check_launcher(app);
  for (const auto& variable : options.set_variables)
    if (variable.find('=') == std::string::npos || variable.front() == '=')
      throw launch_refusal{2, "--env takes NAME=VALUE, not '" + variable + "'"};
  for (const auto& name : options.unset_variables)
    if (name.empty() || name.find('=') != std::string::npos)
      throw launch_refusal{2, "--unset takes the NAME of a variable, not '" + name + "'"};
  if (app.count("--wrap") > 0 && app.count("--debugger") > 0)
    throw launch_refusal{2, "--wrap and --debugger exclude each other: give one of them"};
  if (!options.wrap_ranks.empty() && options.wrap.empty())
    throw launch_refusal{2, "--wrap-ranks needs --wrap or --debugger"};
  if (options.tag && !options.output_file.empty())
    throw launch_refusal{2, "--tag and --output-file exclude each other: a file is one rank's"};
}

}  // namespace

run_options parse_run_options(std::vector<std::string> words, bool& done) {
  run_options options;
  CLI::App app(about, "atoll run");
  app.formatter(std::make_shared<run_formatter>());
  app.prefix_command();
  add_options(app, options);
  add_host_options(app, options);
  done = !parse_words(app, std::move(words));
  if (done) return options;
  options.command = app.remaining();
  if (!options.command.empty() && options.command.front() == "--")
    options.command.erase(options.command.begin());
  else if (!options.command.empty() && options.command.front().starts_with('-'))
    throw launch_refusal{2, unknown_option(app, options.command.front())};
  if (options.command.empty())
    throw launch_refusal{2, "no program given; try: atoll run -n 4 ./app"};
  options.debugger = app.count("--debugger") > 0;
  check(app, options);
  return options;
}

}  // namespace atl::tools
