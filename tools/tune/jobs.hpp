// SPDX-License-Identifier: BSD-3-Clause
//
// The jobs that measure for `atoll tune`: one for each pass and number of ranks, one after the
// other, each an `atoll run` that this process starts, passes signals to and waits for. A job ends
// with this process, also when that is killed.
#pragma once

#include <tools/tune/request.hpp>
#include <tools/tune/rules.hpp>

#include <cstddef>
#include <vector>

namespace atl::tools {

/// How the measuring ended.
struct tune_progress {
  std::size_t points = 0;    // of all passes and numbers of ranks
  std::size_t recorded = 0;  // of them, by this or an earlier command
  std::size_t jobs = 0;      // that ran to their end
  int signal = 0;            // that ended it; 0: none
};

/// The places of the records of points which a job of now, with their ranks and hosts, would not
/// measure again (is_of_job()). On one host that job shares its cores where this process may use
/// fewer. Over hosts it is taken for one like the last one of as many ranks and hosts that the
/// records have, over the network of the last one of all.
std::vector<std::size_t> records_that_count(const std::vector<tune_record>& records);

/// Measures what the records lack, within the time. Throws `launch_refusal` when a job fails.
tune_progress measure(const tune_request& request);

}  // namespace atl::tools
