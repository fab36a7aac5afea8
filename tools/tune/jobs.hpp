// SPDX-License-Identifier: BSD-3-Clause
//
// The jobs that measure for `atoll tune`: one for each pass and number of ranks, one after the
// other, each an `atoll run` that this process starts, passes signals to and waits for. A job ends
// with this process, also when that is killed.
#pragma once

#include <tools/tune/request.hpp>

#include <cstddef>

namespace atl::tools {

/// How the measuring ended.
struct tune_progress {
  std::size_t points = 0;    // of all passes and numbers of ranks
  std::size_t recorded = 0;  // of them, by this or an earlier command
  int signal = 0;            // that ended it; 0: none
};

/// Measures what the records lack, within the time. Throws `launch_refusal` when a job fails.
tune_progress measure(const tune_request& request);

}  // namespace atl::tools
