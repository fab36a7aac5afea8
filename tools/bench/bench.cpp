// SPDX-License-Identifier: BSD-3-Clause
//
// Finds a Python: the one that --python names, else the first of those on PATH and in the usual
// places that has the most of the libraries that are of use. A python3 that stands first on PATH
// (of pyenv, of conda) often has none of a distribution's packages. A run needs no library; the
// Python programs name the package of one that a report lacks.
#include <atoll/base/settings.hpp>
#include <tools/bench/bench.hpp>
#include <tools/run/program.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace atl::tools {
namespace {

constexpr const char* packages = "python3, python3-rich, python3-matplotlib and python3-jinja2";

// Exits with 10 plus the number of libraries that are missing, or with 100 when the interpreter is
// too old: codes that no other program returns by chance.
constexpr const char* probe =
    "import sys\n"
    "if sys.version_info < (3, 11): sys.exit(100)\n"
    "import importlib.util as u\n"
    "sys.exit(10 + sum(u.find_spec(name) is None for name in ('rich', 'jinja2', 'matplotlib')))\n";
constexpr int answer_base = 10;
constexpr int answers = 4;
constexpr int cannot_run = 126;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// How many libraries an interpreter lacks; cannot_run when it cannot be used.
int lacks(const std::string& python) {
  std::vector<std::string> words{python, "-c", probe};
  const auto arguments = pointers_to(words);
  const pid_t child = fork();
  if (child < 0) return cannot_run;
  if (child == 0) {
    execv(python.c_str(), arguments.data());
    _exit(cannot_run);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return cannot_run;
  }
  const int answer = WIFEXITED(status) ? WEXITSTATUS(status) - answer_base : cannot_run;
  return answer >= 0 && answer < answers ? answer : cannot_run;
}

std::string found_on_path() {
  try {
    return find_program("python3", foreign_variable("PATH"));
  } catch (const launch_refusal&) {
    return {};
  }
}

std::string best_python() {
  std::string best;
  int best_lacks = cannot_run;
  for (const auto& each :
       {found_on_path(), std::string("/usr/bin/python3"), std::string("/usr/local/bin/python3")}) {
    if (each.empty() || access(each.c_str(), X_OK) != 0) continue;
    const int lacking = lacks(each);
    if (lacking >= best_lacks) continue;
    best = each;
    best_lacks = lacking;
    if (lacking == 0) break;
  }
  if (best.empty())
    throw launch_refusal{127, std::string("no Python of version 3.11 or later is installed; "
                                          "install ") +
                                  packages + ", or name an interpreter with --python"};
  return best;
}

/// Takes `--python PROGRAM` off the words, if they begin with it.
std::string named_python(std::vector<std::string>& words) {
  if (words.empty() || words.front() != "--python") return {};
  if (words.size() < 2) throw launch_refusal{2, "--python needs the name of an interpreter"};
  const auto python = find_program(words[1], foreign_variable("PATH"));
  words.erase(words.begin(), words.begin() + 2);
  if (lacks(python) == cannot_run)
    throw launch_refusal{
        126, "--python " + python + " is no Python of version 3.11 or later; name another one"};
  return python;
}

}  // namespace

int bench_command(std::vector<std::string> words) {
  const auto prefix = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  const auto program = prefix / "share" / "atoll" / "bench";
  if (!std::filesystem::exists(program / "__main__.py"))
    throw launch_refusal{
        125, program.string() + " is missing; install Atoll as a whole (cmake --install)"};
  auto python = named_python(words);
  if (python.empty()) python = best_python();
  // -B: nothing is written beside the installed files.
  std::vector<std::string> arguments{python, "-B", program.string(), "--prefix", prefix.string()};
  arguments.insert(arguments.end(), words.begin(), words.end());
  execv(python.c_str(), pointers_to(arguments).data());
  throw launch_refusal{126, python + " cannot be executed: " + std::strerror(errno)};
}

}  // namespace atl::tools
