// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the measuring program beside the command, and asks it about tables.
#include <tools/tune/measuring_program.hpp>

#include <atoll/base/error.hpp>
#include <tools/run/program.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace atl::tools {

namespace {

constexpr const char* other_table = "name a table that atoll tune has written";

/// All that a program prints.
std::string output_of(std::array<std::string, 3> words) {
  int ends[2];
  if (::pipe(ends) != 0) throw error("atoll", errno_text(errno), "are too many files open?");
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    std::array<char*, 4> pointers{words[0].data(), words[1].data(), words[2].data(), nullptr};
    execv(pointers.front(), pointers.data());
    _exit(127);
  }
  close(ends[1]);
  std::string output;
  std::array<char, 512> part;
  for (ssize_t got = 1; child > 0 && got > 0;) {
    got = read(ends[0], part.data(), part.size());
    if (got > 0) output.append(part.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return output;
}

}  // namespace

std::filesystem::path measuring_program() {
  const std::filesystem::path command = std::filesystem::read_symlink("/proc/self/exe");
  std::filesystem::path program =
      command.parent_path().parent_path() / "libexec" / "atoll" / "atoll_tune_measure";
  if (std::filesystem::exists(program)) return program;
  throw launch_refusal{
      125, program.string() + " is missing; install Atoll as a whole (cmake --install)"};
}

std::string refusal_of_rules(const std::string& path) {
  return output_of({measuring_program().string(), "--check-table", path});
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
