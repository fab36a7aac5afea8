// SPDX-License-Identifier: BSD-3-Clause
//
// Searches PATH and cuts command lines into words. The rules are the shell's, down to the exit
// codes 126 and 127, so `atoll run` before a command changes only the number of processes.
#include <tools/run/program.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace atl::tools {
namespace {

bool is_directory(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

bool is_program(const std::string& path) {
  return access(path.c_str(), X_OK) == 0 && !is_directory(path);
}

/// Throws unless a path with a slash in it can be executed.
void require_program(const std::string& path) {
  if (is_directory(path)) throw launch_refusal{126, path + " is a directory, not a program"};
  if (!exists(path)) throw launch_refusal{127, path + " cannot be found: " + std::strerror(errno)};
  if (access(path.c_str(), X_OK) != 0)
    throw launch_refusal{126, path + " is not executable; chmod +x " + path +
                                  ", or name its interpreter before it (python3 " + path + ")"};
}

std::string search_along(const std::string& name, std::string_view search) {
  while (!search.empty()) {
    const auto colon = search.find(':');
    const auto folder = search.substr(0, colon);
    search = colon == std::string_view::npos ? std::string_view() : search.substr(colon + 1);
    const auto path = (folder.empty() ? std::string(".") : std::string(folder)) + "/" + name;
    if (is_program(path)) return path;
  }
  return {};
}

[[noreturn]] void refuse_missing(const std::string& name) {
  const std::string local = "./" + name;
  if (is_program(local))
    throw launch_refusal{127, name + " is not on PATH; did you mean " + local + "?"};
  if (is_directory(local)) throw launch_refusal{126, name + " is a directory, not a program"};
  if (exists(local)) require_program(local);
  throw launch_refusal{127, name + " is neither on PATH nor in this directory; check its name"};
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

}  // namespace

std::string find_program(const std::string& name, std::string_view search) {
  if (name.empty()) throw launch_refusal{2, "the program's name is empty"};
  if (name.find('/') != std::string::npos) {
    require_program(name);
    return name;
  }
  const auto found = search_along(name, search.empty() ? "/usr/local/bin:/usr/bin:/bin" : search);
  if (found.empty()) refuse_missing(name);
  return found;
}

std::string own_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return {path, length > 0 ? static_cast<std::size_t>(length) : 0};
}

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
      inside = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (!is_blank(c)) {
      word += c;
      inside = true;
    } else if (inside) {
      words.push_back(std::move(word));
      word.clear();
      inside = false;
    }
  }
  if (quote != 0)
    throw launch_refusal{
        2, std::string("the quote ") + quote + " is not closed in: " + std::string(line)};
  if (inside) words.push_back(std::move(word));
  return words;
}

}  // namespace atl::tools
