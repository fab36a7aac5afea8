// SPDX-License-Identifier: BSD-3-Clause
//
// Describes the machine, and finds the path of a user's table. The text of the machine leaves out
// what changes from job to job: the cores that a process may use, clock rates, memory.
#include <atoll/coll/tuned/machine.hpp>

#include <atoll/base/settings.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/topology.hpp>

namespace atl::coll {

std::string machine_text() {
  const topology found = read_topology();
  return text(found.model, ", ", found.packages, " packages, ", found.cores, " cores, ",
              found.processors.size(), " processors");
}

std::string user_table_path() {
  constexpr const char* place = "/atoll/collectives.json";
  const std::string_view folder = foreign_variable("XDG_CONFIG_HOME");
  if (folder.starts_with('/')) return std::string(folder) + place;
  const std::string_view home = foreign_variable("HOME");
  if (home.starts_with('/')) return text(home, "/.config", place);
  return {};
}

}  // namespace atl::coll
