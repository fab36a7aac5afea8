// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the command `atoll` and becomes it. The command is looked for beside this library, as it
// lies in an installation and in a build tree, and else by PATH. The program's path comes from the
// kernel, since the first argument may be anything.
#include <atoll/bootstrap/restart.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace atl::bootstrap {
namespace {

namespace fs = std::filesystem;

std::string command_path() {
  Dl_info library = {};
  if (dladdr(reinterpret_cast<const void*>(&restart_as_job), &library) != 0) {
    std::error_code failed;
    fs::path folder = fs::weakly_canonical(library.dli_fname, failed).parent_path();
    for (int level = 0; level < 3 && !failed; ++level, folder = folder.parent_path()) {
      const fs::path found = folder / "bin" / "atoll";
      if (access(found.c_str(), X_OK) == 0) return found;
    }
  }
  return "atoll";
}

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string raw{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string> words;
  for (std::size_t offset = 0; offset < raw.size(); offset += words.back().size() + 1) {
    words.emplace_back(raw.c_str() + offset);
  }
  return words;
}

}  // namespace

void restart_as_job(rank_id ranks, std::string_view asked_by,
                    std::span<const std::string_view> options) {
  const std::vector<std::string> own_words = own_arguments();
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed || own_words.empty()) {
    throw error(std::string(asked_by), "this process cannot tell how it was started",
                "start it by `atoll run -n N`");
  }
  std::vector<std::string> words{command_path(), "run", "-n", std::to_string(ranks)};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(program);
  words.insert(words.end(), own_words.begin() + 1, own_words.end());
  std::vector<char*> arguments;
  for (std::string& each : words) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  execvp(words.front().c_str(), arguments.data());
  throw error(std::string(asked_by), text("the launcher ", words.front(), " cannot be started"),
              text("start the program by `atoll run -n ", ranks, "`"));
}

}  // namespace atl::bootstrap
