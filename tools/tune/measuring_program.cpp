// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the measuring program beside the command, and asks it about tables.
#include <tools/tune/measuring_program.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/descriptor.hpp>
#include <atoll/base/text.hpp>
#include <tools/run/ending.hpp>
#include <tools/run/program.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace atl::tools {

namespace {

constexpr const char* other_table = "name a table that atoll tune has written";
constexpr const char* remedy = "install Atoll as a whole (cmake --install)";

/// All that can be read from a descriptor.
std::string read_all(const descriptor& from) {
  std::string output;
  std::array<char, 512> part;
  for (ssize_t got = 1; got != 0;) {
    got = read(from.get(), part.data(), part.size());
    if (got < 0 && errno != EINTR) break;
    if (got > 0) output.append(part.data(), static_cast<std::size_t>(got));
  }
  return output;
}

/// For a program that could not be asked about a table.
launch_refusal no_answer(const std::string& program, const std::string& cause) {
  return {125, text(program, " does not tell whether jobs take the table: ", cause, "; ", remedy)};
}

}  // namespace

std::string refusal_by(const std::string& program, const std::string& table) {
  std::array<std::string, 3> words{program, "--check-table", table};
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw error("atoll", errno_text(errno), "are too many files open?");
  descriptor reader(ends[0]);
  descriptor writer(ends[1]);
  std::signal(SIGCHLD, SIG_DFL);  // had our parent ignored it, the child would leave no status
  const pid_t child = fork();
  if (child < 0) throw no_answer(program, "fork failed: " + errno_text(errno));
  if (child == 0) {
    dup2(writer.get(), STDOUT_FILENO);
    std::array<char*, 4> pointers{words[0].data(), words[1].data(), words[2].data(), nullptr};
    execv(pointers.front(), pointers.data());
    _exit(127);
  }
  writer.reset();
  std::string output = read_all(reader);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw no_answer(program, "waitpid failed: " + errno_text(errno));
  }
  const bool is_good = status == 0 && output.empty();
  const bool is_refused = WIFEXITED(status) && WEXITSTATUS(status) == 1 && !output.empty();
  if (!is_good && !is_refused) throw no_answer(program, "it " + describe_ending(status));
  return output;
}

std::filesystem::path measuring_program() {
  const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe");
  std::filesystem::path program =
      command.parent_path().parent_path() / "libexec" / "atoll" / "atoll_tune_measure";
  if (std::filesystem::exists(program)) return program;
  throw launch_refusal{125, text(program.string(), " is missing; ", remedy)};
}

std::string refusal_of_rules(const std::string& path) {
  return refusal_by(measuring_program().string(), path);
}

coll::tuned_table read_usable_table(const std::string& path) {
  try {
    coll::tuned_table table = coll::read_tuned_table(path);
    const std::string refusal = refusal_of_rules(path);
    if (!refusal.empty()) throw error(path, refusal, other_table);
    return table;
  } catch (const error& refused) {
    throw error(refused.object(), refused.cause(), other_table);
  }
}

}  // namespace atl::tools
