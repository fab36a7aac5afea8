// SPDX-License-Identifier: BSD-3-Clause
//
// The options of bench_curves and its MPI counterpart, beside the options of all benchmarks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

class command_line;

struct curve_options {
  std::string set = "latency";  // latency, bandwidth or rate
  std::vector<std::size_t> sizes = {};

  /// The sizes that were asked for, or powers of two from 8 B to 4 MiB (to 64 KiB when quick); of
  /// the set "rate" 8 B.
  std::vector<std::size_t> sizes_to_measure(bool quick) const;
};

/// Adds --sizes; `chosen` must outlive the parsing.
void add_curve_options(command_line& line, curve_options& chosen);

}  // namespace bench
