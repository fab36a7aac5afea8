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

/// The places of the records that are of points which a job of now would not measure again, if it
/// has their ranks and hosts: those of this machine and this version, and over hosts those with the
/// network of the last one, as fast as in the last one of as many ranks and hosts. Before a job has
/// added a record, that is taken for the network that it will have.
std::vector<std::size_t> records_that_count(const std::vector<tune_record>& records);

/// Measures what the records lack, within the time. Throws `launch_refusal` when a job fails.
tune_progress measure(const tune_request& request);

}  // namespace atl::tools
