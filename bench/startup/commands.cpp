// SPDX-License-Identifier: BSD-3-Clause
//
// Runs programs with posix_spawn, because a benchmark of launchers should not add a copy of itself
// to each start. A started program must exit with 0: a figure of a job that failed would be a lie,
// so a failure ends the benchmark.
//
// The programs read from a pipe that stays open and empty. MPICH 4.0's mpiexec passes on the end of
// its standard input, and dies of SIGPIPE when its ranks, which do nothing, have ended before that.
#include <atoll/base/settings.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/startup/commands.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace bench {
namespace {

/// The read end of a pipe that stays empty and open while this process lives.
int silent_input() {
  static const int reading = [] {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for standard input");
    return ends[0];
  }();
  return reading;
}

pid_t start(const command& arguments) {
  std::vector<char*> words;
  for (const auto& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, silent_input(), 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error(arguments[0] + " cannot be started");
  return child;
}

}  // namespace

double time_of_command(const command& arguments, unsigned copies) {
  const stopwatch watch;
  std::vector<pid_t> started;
  for (unsigned i = 0; i < copies; ++i) started.push_back(start(arguments));
  bool good = true;
  for (const pid_t child : started) {
    int status = 0;
    good = waitpid(child, &status, 0) == child && status == 0 && good;
  }
  if (!good) throw std::runtime_error(arguments[0] + " failed");
  return watch.elapsed_ns();
}

std::string find_on_path(const std::string& name) {
  std::istringstream path{std::string(atl::foreign_variable("PATH"))};
  for (std::string folder; std::getline(path, folder, ':');) {
    const auto candidate = folder + "/" + name;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

std::string own_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().string();
}

std::string atoll_command() {
  const auto beside = own_folder() + "/atoll";
  return std::filesystem::exists(beside) ? beside : own_folder() + "/../../bin/atoll";
}

}  // namespace bench
