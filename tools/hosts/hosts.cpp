// SPDX-License-Identifier: BSD-3-Clause
//
// `atoll run --hosts` from the words to the plan: which ranks go where, what of this environment
// the ranks get, and the key. Everything that can be refused without a host is refused here.
#include <atoll/base/error.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/base/version.hpp>
#include <tools/hosts/host_list.hpp>
#include <tools/hosts/hosts.hpp>
#include <tools/hosts/remote_ranks.hpp>
#include <tools/run/process_tree.hpp>
#include <tools/run/program.hpp>
#include <tools/run/supervisor.hpp>

#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <csignal>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace atl::tools {
namespace {

/// Variables that ranks on other hosts get as they are here; all others are the host's own.
constexpr std::array<std::string_view, 6> passed_on{"ATOLL_", "OMP_",   "LC_",
                                                    "PYTHON", "UPCXX_", "GASNET_"};
constexpr std::array<std::string_view, 3> passed_on_whole{"PATH=", "LD_LIBRARY_PATH=", "LANG="};

bool is_passed_on(std::string_view variable) {
  for (const auto start : passed_on)
    if (variable.starts_with(start)) return true;
  for (const auto name : passed_on_whole)
    if (variable.starts_with(name)) return true;
  return false;
}

std::vector<std::string> environment_for(const run_options& options) {
  std::vector<std::string> chosen;
  for (char** each = environ; *each; ++each) {
    const std::string_view variable(*each);
    if (is_passed_on(variable) && variable.find('=') != std::string_view::npos)
      chosen.emplace_back(variable);
  }
  chosen.insert(chosen.end(), options.set_variables.begin(), options.set_variables.end());
  return chosen;
}

std::string current_directory() {
  char directory[4096];
  if (!getcwd(directory, sizeof directory))
    throw launch_refusal{125, "the working directory of this shell is gone; change to another"};
  return directory;
}

/// Where ranks start, as an absolute path.
std::string directory_of(const run_options& options) {
  if (options.directory.starts_with('/')) return options.directory;
  return current_directory() + (options.directory.empty() ? "" : "/" + options.directory);
}

/// The path must be one word for any shell, because the remote one may or may not split it.
std::string atoll_path_of(const run_options& options) {
  const std::string path = options.atoll_path.empty() ? own_path() : options.atoll_path;
  constexpr std::string_view harmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%,:=";
  if (path.empty() || path.front() == '-' || path.find_first_not_of(harmless) != std::string::npos)
    throw launch_refusal{125, "the path of the atoll command, '" + path +
                                  "', holds what a remote shell may take apart; give another by "
                                  "--atoll-path"};
  return path;
}

/// Refuses localhost below a daemon on another host, where the name means that host.
void check_localhost(const protocol::plan& job) {
  for (std::uint32_t node = job.radix + 1; node <= job.hosts.size(); ++node)
    if (job.hosts[node - 1].name == "localhost")
      throw launch_refusal{2, "--hosts: localhost must be among the first " +
                                  std::to_string(job.radix) +
                                  " hosts (--radix), which are started from here"};
}

/// Refuses lists that daemons would refuse, because the user sees the message here.
void check_lists(const protocol::plan& job) {
  const auto check = [](std::size_t count, const char* items) {
    if (count > protocol::list_max)
      throw launch_refusal{2, "--hosts: " + std::to_string(count) + " " + items + ", but at most " +
                                  std::to_string(protocol::list_max) +
                                  " can be sent to other hosts; give them in a file"};
  };
  check(job.command.size(), "words of the program's command line");
  check(job.set_variables.size(), "variables of the environment");
  check(job.unset_variables.size(), "variables to unset");
  check(job.wrap_ranks.size(), "ranks to wrap");
}

protocol::plan plan_for(const run_options& options) {
  const auto listed =
      options.hostfile.empty() ? parse_hosts(options.hosts) : read_hostfile(options.hostfile);
  protocol::plan job;
  for (const auto& host : fill(listed, options.size)) {
    job.hosts.push_back({.name = host.name, .first = job.size, .count = host.slots});
    job.size += host.slots;
  }
  job.radix = options.radix;
  check_localhost(job);
  job.start_timeout_ms = static_cast<std::uint32_t>(options.start_timeout_s * 1000);
  job.link_timeout_ms = static_cast<std::uint32_t>(options.link_timeout_s * 1000);
  job.rsh = options.rsh;
  if (split_words(options.rsh).empty()) throw launch_refusal{2, "--rsh: the command is empty"};
  job.atoll_path = atoll_path_of(options);
  job.interface = options.interface;
  job.directory = directory_of(options);
  job.bind = options.bind;
  job.wrap = options.wrap;
  job.same_addresses = options.same_addresses ? 1 : 0;
  job.verbose = static_cast<std::uint8_t>(options.verbose);
  job.wrap_ranks = options.wrap_ranks;
  for (const rank_id rank : job.wrap_ranks)
    if (rank >= job.size)
      throw launch_refusal{2, "--wrap-ranks: there is no rank " + std::to_string(rank) + " of " +
                                  std::to_string(job.size)};
  job.command = options.command;
  job.set_variables = environment_for(options);
  job.unset_variables = options.unset_variables;
  check_lists(job);
  return job;
}

launch_outcome run_supervisor(const launch& job, const protocol::plan& plan, int control) {
  prctl(PR_SET_NAME, supervisor_name);
  become_subreaper();
  std::signal(SIGPIPE, SIG_IGN);
  const auto core_file = forbid_core_file();
  auto key = random_secret();
  event_loop loop;
  job_output output(loop, plan.size);
  supervisor decides({.loop = loop,
                      .output = output,
                      .options = job.options,
                      .size = plan.size,
                      .control = control});
  remote_ranks ranks({.loop = loop,
                      .output = output,
                      .options = job.options,
                      .job = plan,
                      .key = key,
                      .core_file = core_file,
                      .events = decides});
  const auto end = decides.run(ranks);
  forget(key);
  return end;
}

}  // namespace

bool can_run_on_hosts() noexcept { return true; }

int run_on_hosts(run_options options) {
  const auto plan = plan_for(options);
  check_settings(plan.set_variables);
  launch job;
  options.size = plan.size;
  job.options = std::move(options);
  return run_foreground(std::move(job), [&](const launch& prepared, int control) {
    return run_supervisor(prepared, plan, control);
  });
}

}  // namespace atl::tools
