// SPDX-License-Identifier: BSD-3-Clause
//
// Starts ranks: the arguments, environment and streams of each, and the order to spawn it. Strings
// that are the same for all ranks are made once; only ATOLL_RANK changes from rank to rank.
#include <atoll/base/error.hpp>
#include <tools/run/local_ranks.hpp>
#include <tools/run/process_tree.hpp>
#include <tools/run/program.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace atl::tools {
namespace {

void append(std::vector<char*>& list, const std::vector<std::string>& words) {
  for (const auto& word : words) list.push_back(const_cast<char*>(word.c_str()));
}

std::string output_path(const std::string& file, rank_id rank) {
  struct stat status{};
  const bool folder =
      file.ends_with('/') || (stat(file.c_str(), &status) == 0 && S_ISDIR(status.st_mode));
  if (!folder) return file + "." + std::to_string(rank);
  return file + (file.ends_with('/') ? "rank." : "/rank.") + std::to_string(rank);
}

descriptor open_output(const std::string& file, rank_id rank) {
  const auto path = output_path(file, rank);
  descriptor made(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666));
  if (!made) throw launch_refusal{125, "--output-file: " + path + ": " + std::strerror(errno)};
  return made;
}

/// The message about a program that could not be started, and the shell's exit status for it.
launch_refusal refusal_of(const spawn_result& result, const std::string& subject,
                          const std::string& program) {
  const std::string cause = std::strerror(result.error_number);
  if (!result.from_exec && result.error_number == EAGAIN)
    return {125, subject + " cannot be started: " + cause +
                     "; the limit of processes is reached (ulimit -u, or the control group's)"};
  if (!result.from_exec) return {125, subject + " cannot be started: " + cause};
  if (result.error_number == ENOENT)
    return {127, program + " cannot be started: its interpreter (first line) or loader is missing"};
  if (result.error_number == ENOEXEC)
    return {126, program + " is not a program of this machine: " + cause};
  return {126, program + " cannot be started: " + cause};
}

/// A script whose first line names no interpreter is run by the shell, as execvp() does.
spawn_result spawn_by_shell(spawn_order order) {
  std::vector<char*> arguments{const_cast<char*>("sh"), const_cast<char*>(order.path)};
  for (auto word = order.arguments + 1; *word; ++word) arguments.push_back(*word);
  arguments.push_back(nullptr);
  order.path = "/bin/sh";
  order.arguments = arguments.data();
  return spawn(order);
}

bool is_text(const char* path) {
  const descriptor file(open(path, O_RDONLY | O_CLOEXEC));
  char start[128];
  const ssize_t got = file ? read(file.get(), start, sizeof start) : 0;
  return got > 0 && std::memchr(start, 0, static_cast<std::size_t>(got)) == nullptr;
}

}  // namespace

void local_ranks::start() {
  memory_ = std::make_unique<memory_evidence>();
  std::vector<char*> environment;
  append(environment, job_.environment);
  environment.resize(environment.size() + 2);  // ATOLL_RANK and the end
  const auto& directory = job_.options.directory;
  spawn_order order{.environment = environment.data(),
                    .directory = directory.empty() ? nullptr : directory.c_str(),
                    .signal_mask = job_.signal_mask,
                    .ignore_sigpipe = job_.ignore_sigpipe,
                    .open_files = job_.open_files};
  for (rank_id rank = 0; rank < ranks_.size(); ++rank) {
    auto variable = "ATOLL_RANK=" + std::to_string(number_of(rank));
    environment[environment.size() - 2] = variable.data();
    try {
      start_rank(rank, order);
    } catch (const launch_refusal& reason) {
      return not_started(rank, reason.code, reason.message);
    } catch (const error& reason) {
      return not_started(rank, 125, reason.what());
    }
  }
}

/// Gives up: this rank and all after it count as ended; those before it are killed.
void local_ranks::not_started(rank_id first, int code, const std::string& reason) {
  for (rank_id rank = first; rank < ranks_.size(); ++rank) processes_[rank].ended = true;
  const rank_id missing = ranks_.size() - first;
  ended_ += missing;
  const auto& host = job_.place.host;
  fail({.code = code,
        .also_ended = missing,
        .reason = host.empty() ? reason : "host " + host + ": " + reason});
  for (rank_id rank = first; rank < ranks_.size(); ++rank) happened(rank_event::kind::ended, rank);
}

std::vector<char*> local_ranks::arguments_of(rank_id rank, const char*& path) const {
  const auto& chosen = job_.options.wrap_ranks;
  const bool wrapped =
      !job_.wrapper.empty() &&
      (chosen.empty() || std::find(chosen.begin(), chosen.end(), number_of(rank)) != chosen.end());
  std::vector<char*> arguments;
  if (wrapped) append(arguments, job_.wrapper);
  path = wrapped ? job_.wrapper_program.c_str() : job_.program.c_str();
  append(arguments, job_.options.command);
  if (wrapped) arguments[job_.wrapper.size()] = const_cast<char*>(job_.program.c_str());
  arguments.push_back(nullptr);
  return arguments;
}

void local_ranks::start_rank(rank_id rank, spawn_order& order) {
  descriptor input;
  descriptor output;
  descriptor errors;
  if (number_of(rank) == 0 && streams_.open_input) input = streams_.open_input();
  if (!job_.options.output_file.empty()) {
    output = open_output(job_.options.output_file, number_of(rank));
  } else if (streams_.open_output) {
    output = streams_.open_output(number_of(rank), 1);
    errors = streams_.open_output(number_of(rank), 2);
  }
  order.input = input ? input.get() : number_of(rank) == 0 ? 0 : null_.get();
  order.output = output ? output.get() : 1;
  order.errors = errors ? errors.get() : output ? output.get() : 2;
  order.cores = job_.places.empty() ? nullptr : &job_.places[rank % job_.places.size()];
  const auto arguments = arguments_of(rank, order.path);
  order.arguments = arguments.data();
  auto result = spawn(order);
  if (result.error_number == ENOEXEC && is_text(order.path)) result = spawn_by_shell(order);
  if (result.pid < 0)
    throw refusal_of(result, "rank " + std::to_string(number_of(rank)) + host_text(),
                     job_.options.command.front());
  processes_[rank].pid = result.pid;
  rank_of_.emplace(result.pid, rank);
  if (job_.options.verbose > 0) report_line("started " + rank_text(rank));
}

}  // namespace atl::tools
