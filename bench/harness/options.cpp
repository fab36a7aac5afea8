// SPDX-License-Identifier: BSD-3-Clause
//
// The one place that includes CLI11 for the options shared by all benchmarks: it is large, and each
// benchmark includes it once more only for the line that parses.
#include <bench/harness/options.hpp>

#include <CLI/CLI.hpp>

namespace bench {

void add_options(CLI::App& line, options& chosen) {
  line.add_option("--json", chosen.json_file, "Write the figures to this file")->type_name("FILE");
  line.add_option("--only", chosen.only,
                  "Only the cases whose names contain this, or one of several parts, a,b")
      ->type_name("TEXT");
  line.add_option("--rounds", chosen.rounds, "Rounds to measure (default 30)")
      ->type_name("N")
      ->check(CLI::Range(1u, 100'000u));
  line.add_option("--seconds", chosen.seconds,
                  "End the rounds after so long (not before the third)")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1e6));
  line.add_flag("--quick", chosen.quick, "A smoke test: few operations, meaningless figures");
  line.add_flag("!--no-pin", chosen.pinned, "Leave the ranks to the scheduler");
}

}  // namespace bench
