// SPDX-License-Identifier: BSD-3-Clause
//
// Preparation of a job: the program, the environment, the places, the limits. It runs in the
// foreground process before anything is started; the environment is the only thing that is built
// for the ranks, and this process's own limit of descriptors and its personality (--same-addresses)
// the only things that are changed.
#include <atoll/base/error.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/core/settings.hpp>
#include <tools/run/binding.hpp>
#include <tools/run/launch.hpp>
#include <tools/run/program.hpp>

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace atl::tools {
namespace {

std::string_view name_in(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

void set_variable(std::vector<std::string>& environment, const std::string& variable) {
  std::erase_if(environment, [&](const auto& old) { return name_in(old) == name_in(variable); });
  environment.push_back(variable);
}

std::vector<std::string> make_environment(const run_options& options, rank_id job_size,
                                          const bootstrap::job_address& job) {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable; ++variable) environment.emplace_back(*variable);
  for (const auto& name : options.unset_variables)
    std::erase_if(environment, [&](const auto& old) { return name_in(old) == name; });
  for (const auto& variable : options.set_variables) set_variable(environment, variable);
  set_variable(environment, "ATOLL_SIZE=" + std::to_string(job_size));
  set_variable(environment, "ATOLL_JOB=" + job.text());
  std::erase_if(environment, [](const auto& old) {
    return name_in(old) == "ATOLL_RANK" || name_in(old) == "ATOLL_MEMBER";
  });
  return environment;
}

void check_directory(const std::string& directory) {
  struct stat status{};
  if (stat(directory.c_str(), &status) != 0)
    throw launch_refusal{125, "--dir " + directory + ": " + std::strerror(errno)};
  if (!S_ISDIR(status.st_mode) || access(directory.c_str(), X_OK) != 0)
    throw launch_refusal{125, "--dir " + directory + ": not a folder that can be entered"};
}

/// The launcher needs a connection per rank, perhaps one more to watch it, and with --tag two
/// pipes.
void raise_open_files(const run_options& options, bool several_hosts) {
  constexpr rlim_t own = 32;
  const rlim_t needed = own + rlim_t{options.size} * (options.tag || several_hosts ? 4 : 2);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= needed) return;
  if (limit.rlim_max < needed)
    throw launch_refusal{125, "limit of open files: " + std::to_string(options.size) +
                                  " ranks need " + std::to_string(needed) +
                                  ", but the hard limit is " + std::to_string(limit.rlim_max) +
                                  "; raise it (ulimit -Hn) or start fewer ranks" +
                                  (options.tag ? ", or leave --tag away" : "")};
  limit.rlim_cur = needed;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// The kernel reads the personality at exec, and the ranks inherit it. Some sandboxes forbid the
/// change; most programs that ask for it still work then, so that is a warning and no refusal.
void stop_random_addresses(launch& job) {
  constexpr unsigned long ask = 0xffffffff;
  const int now = personality(ask);
  if (now == -1 || personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) == -1)
    job.warning = std::string("--same-addresses is not possible here: ") + std::strerror(errno);
}

/// An absolute path, because the ranks may start in another directory (--dir).
std::string absolute(const std::string& path) {
  if (path.starts_with('/')) return path;
  char directory[4096];
  return getcwd(directory, sizeof directory) ? std::string(directory) + "/" + path : path;
}

}  // namespace

/// A setting that makes no sense is refused here, once, and not by every rank.
void check_settings(const std::vector<std::string>& environment) {
  std::vector<const char*> list;
  for (const auto& variable : environment) list.push_back(variable.c_str());
  list.push_back(nullptr);
  const auto checked = settings::read(list.data());
  if (checked.number(setting::verbose) < 1) return;
  for (const auto& warning : checked.warnings()) say("warning: " + warning);
}

launch prepare(run_options options, placement place) {
  launch job;
  getrlimit(RLIMIT_NOFILE, &job.open_files);
  if (options.size == 0) options.size = cores_available();
  job.program = absolute(find_program(options.command.front(), foreign_variable("PATH")));
  job.wrapper = split_words(options.wrap);
  if (!job.wrapper.empty())
    job.wrapper_program = absolute(find_program(job.wrapper.front(), foreign_variable("PATH")));
  if (!options.directory.empty()) check_directory(options.directory);
  if (place.job_size == 0) place.job_size = options.size;
  for (const rank_id rank : options.wrap_ranks)
    if (rank >= place.job_size)
      throw launch_refusal{2, "--wrap-ranks: there is no rank " + std::to_string(rank) + " of " +
                                  std::to_string(place.job_size)};
  job.places = places_for(options.bind);
  job.job = bootstrap::job_address::random();
  job.environment = make_environment(options, place.job_size, job.job);
  if (place.host.empty()) check_settings(job.environment);  // else the supervisor has
  raise_open_files(options, !place.host.empty());
  if (options.same_addresses) stop_random_addresses(job);
  struct sigaction action{};
  sigaction(SIGPIPE, nullptr, &action);
  job.ignore_sigpipe = action.sa_handler == SIG_IGN;
  job.options = std::move(options);
  job.place = std::move(place);
  return job;
}

void say(const std::string& line) {
  const auto text = "atoll run: " + line + "\n";
  [[maybe_unused]] const auto put = write(2, text.data(), text.size());
}

}  // namespace atl::tools
