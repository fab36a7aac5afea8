// SPDX-License-Identifier: BSD-3-Clause
//
// Launchers that Atoll does not speak. A program under `mpirun -n 4` without an Atoll job would
// become four jobs of one rank, each with a result that looks right: that is refused, by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atl::bootstrap {

struct foreign_launcher {
  std::string name;      // "Open MPI's mpirun"
  std::string variable;  // the mark that gave it away
};

/// Looks for marks of a launcher that started more than one process. `lookup` gives the value of an
/// environment variable, empty when unset. One process under such a launcher is a job of one.
std::optional<foreign_launcher> find_foreign_launcher(std::string_view (*lookup)(const char*));

}  // namespace atl::bootstrap
