// SPDX-License-Identifier: BSD-3-Clause
//
// What GASNet's variables do to the start of a client: settings, ranks where no launcher made any,
// one warning, a report, and a wait for a debugger. Runs once, before the client can have other
// threads that use the library.
#include <gasnetex_identity.h>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <front/gex/environment.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

/// Not 0 while this process waits for a debugger, which sets it to 0.
extern "C" {
extern volatile int atoll_gex_frozen;
volatile int atoll_gex_frozen = 0;
}

namespace atl::gex {
namespace {

namespace fs = std::filesystem;

// The command `atoll` of the installation that this library is of; "atoll" when it is elsewhere.
std::string command_path() {
  Dl_info library = {};
  if (dladdr(reinterpret_cast<const void*>(&gasnet_variables), &library) != 0) {
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
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size(); at += words.back().size() + 1) {
    words.emplace_back(all.c_str() + at);
  }
  return words;
}

void wait_for_debugger(rank_id rank) {
  __atomic_store_n(&atoll_gex_frozen, 1, __ATOMIC_RELAXED);  // pairs with nothing: a flag
  log_line(log_level::error, text("GASNET_FREEZE: rank ", rank, ", process ", getpid(),
                                  ", waits for a debugger; to go on, set atoll_gex_frozen to 0"));
  while (__atomic_load_n(&atoll_gex_frozen, __ATOMIC_RELAXED) != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

const gasnet_environment& environment() {
  static const gasnet_environment mine = gasnet_environment::read(
      foreign_variables("GASNET_"), static_cast<std::size_t>(read_memory_limits().total_bytes));
  return mine;
}

settings settings_with_gasnet() { return settings::from_environment(environment().settings); }

void start_ranks_if_asked(const settings& all) {
  const bool is_rank = !all.text(setting::rank).empty();
  if (is_rank || environment().ranks < 2) return;
  std::vector<std::string> words = own_arguments();
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed || words.empty()) {
    throw error("GASNET_PSHM_NODES", "this process cannot tell how it was started",
                "start it by `atoll run -n N`");
  }
  words.front() = program;
  const std::string command = command_path();
  const std::string ranks = std::to_string(environment().ranks);
  std::vector<const char*> arguments{command.c_str(), "run", "-n", ranks.c_str(),
                                     "--same-addresses"};
  for (const std::string& each : words) arguments.push_back(each.c_str());
  arguments.push_back(nullptr);
  execvp(command.c_str(), const_cast<char* const*>(arguments.data()));
  throw error("GASNET_PSHM_NODES", text("the launcher ", command, " cannot be started"),
              "start the program by `atoll run -n " + ranks + "`");
}

void tell_environment(rank_id rank, const settings& all) {
  const gasnet_environment& mine = environment();
  if (rank == 0 && !mine.no_effect.empty()) {
    std::string line = "variables of GASNet that have no effect on Atoll: ";
    for (std::size_t i = 0; i < mine.no_effect.size(); ++i) {
      line += (i == 0 ? "" : "; ") + mine.no_effect[i];
    }
    log_warning(line);
  }
  if (rank == 0 && mine.verbose) {
    for (const std::string& each : mine.report) log_line(log_level::error, each);
    for (const setting_row& row : setting_table()) {
      if (row.id >= setting::rank) continue;  // the launcher's
      const bool is_set = all.source(row.id) == setting_source::environment;
      log_line(log_level::error, text(row.name, "=", all.text(row.id), is_set ? "" : " (default)"));
    }
  }
  if (mine.freeze) wait_for_debugger(rank);
}

}  // namespace atl::gex
