// SPDX-License-Identifier: BSD-3-Clause
//
// Describes the machine, and finds the paths of tables. The text of the machine leaves out
// what changes from job to job: the cores that a process may use, clock rates, memory.
#include <atoll/coll/tuned/machine.hpp>

#include <atoll/base/settings.hpp>
#include <atoll/base/system/topology.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/version.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

namespace atl::coll {

extern const char algorithms_digest[];  // in a source that the build writes (cmake/digest.cmake)

std::string algorithms_version() { return text(version_text, "-", algorithms_digest); }

std::string other_algorithms_text(std::string_view algorithms) {
  const std::string own = algorithms_version();
  if (algorithms == own) return {};
  return text("its rules were measured with other algorithms",
              algorithms.empty() ? "" : text(" (", algorithms, ")"), " than those of this Atoll (",
              own, "); atoll tune measures again");
}

std::string machine_text() {
  const topology found = read_topology();
  return text(found.model, ", ", found.packages, " packages, ", found.cores, " cores, ",
              found.processors.size(), " processors");
}

namespace {

constexpr const char* table_name = "/atoll/collectives.json";

// The folders above the one with the library or command that this function is in: bin or lib, or
// lib/x86_64-linux-gnu, in an installation.
std::vector<std::string> prefixes() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&prefixes), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  std::error_code failed;
  std::filesystem::path file = info.dli_fname;
  if (!file.is_absolute()) file = std::filesystem::read_symlink("/proc/self/exe", failed);
  file = std::filesystem::weakly_canonical(file, failed);
  if (failed || file.empty()) return {};
  const std::filesystem::path folder = file.parent_path();
  std::vector<std::string> found{folder.parent_path().string()};
  if (folder.parent_path().filename() == "lib") {
    found.push_back(folder.parent_path().parent_path().string());
  }
  return found;
}

}  // namespace

std::string user_table_path() {
  const std::string_view folder = foreign_variable("XDG_CONFIG_HOME");
  if (folder.starts_with('/')) return std::string(folder) + table_name;
  const std::string_view home = foreign_variable("HOME");
  if (home.starts_with('/')) return text(home, "/.config", table_name);
  return {};
}

std::vector<std::string> table_places() {
  std::vector<std::string> places;
  if (const std::string own = user_table_path(); !own.empty()) places.push_back(own);
  std::string_view sites = foreign_variable("XDG_CONFIG_DIRS");
  if (sites.empty()) sites = "/etc/xdg";
  while (!sites.empty()) {
    const std::string_view folder = sites.substr(0, sites.find(':'));
    if (folder.starts_with('/')) places.push_back(std::string(folder) + table_name);
    sites.remove_prefix(std::min(folder.size() + 1, sites.size()));
  }
  for (const std::string& prefix : prefixes()) {
    const std::string root = prefix == "/" ? "" : prefix;
    places.push_back(root + "/etc" + table_name);
    places.push_back(root + "/share" + table_name);
  }
  return places;
}

std::string found_table_path() {
  std::error_code ignored;
  for (std::string& each : table_places()) {
    if (std::filesystem::exists(each, ignored)) return std::move(each);
  }
  return {};
}

}  // namespace atl::coll
