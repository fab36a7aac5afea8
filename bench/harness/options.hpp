// SPDX-License-Identifier: BSD-3-Clause
//
// The options that every benchmark has beside its own (command_line.hpp), so that all of them can
// be driven and read by one program (`atoll bench`).
#pragma once

#include <string>

namespace bench {

struct options {
  std::string json_file = {};  // where to write the figures; empty: nowhere
  std::string only = {};  // measure the cases whose names contain it, or a part of a,b; empty: all
  unsigned rounds = 0;    // 0: 30, or 3 when quick
  double seconds = 0;     // end the rounds after so long, where ranks can agree; 0: no limit
  bool quick = false;     // a smoke test: few operations, meaningless figures
  bool pinned = true;     // one core per rank where there are enough

  unsigned rounds_to_run() const noexcept { return rounds != 0 ? rounds : quick ? 3u : 30u; }
};

}  // namespace bench
