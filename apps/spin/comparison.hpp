// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the chosen variants of one implementation, in turns when there are several rounds, compares
// the bits of their energies, and reports. Collective.
#pragma once

#include <apps/spin/options.hpp>
#include <apps/spin/report.hpp>

#include <functional>
#include <string>
#include <vector>

namespace spin {

struct implementation {
  std::string name;                   // "atoll", or the MPI library's
  std::vector<std::string> variants;  // all there are
  std::function<outcome(const std::string& variant, report& out)> run;
};

/// Whether all was right; the same on all ranks. `first`: this rank prints.
bool run_variants(const options& chosen, const division& plan, const implementation& backend,
                  bool first);

}  // namespace spin
