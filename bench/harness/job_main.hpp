// SPDX-License-Identifier: BSD-3-Clause
//
// The common part of the main functions of benchmarks on Atoll: joins the job, pins the rank and
// reports errors.
#pragma once

#include <bench/harness/options.hpp>
#include <bench/harness/pin.hpp>
#include <bench/harness/suite.hpp>

#include <atoll/coll/collectives.hpp>
#include <atoll/core/job/runtime.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace bench {

inline suite_title title_of(const char* benchmark, const atl::runtime& job) {
  return {.benchmark = benchmark,
          .implementation = "atoll",
          .rank = static_cast<unsigned>(job.rank()),
          .ranks = static_cast<unsigned>(job.size())};
}

/// Lets the suite fit its operations and its time to the machine, the same on all ranks.
inline void fit_to_job(suite& fitted, atl::runtime& job) {
  atl::coll::open(job);
  fitted.fit([&job](std::uint64_t value) {
    atl::coll::broadcast(job.world(), 0, &value, &value, sizeof value);
    return value;
  });
}

/// Runs `measure(job, chosen)`; false from it, or an exception, is a failure. Returns the status
/// for main.
template <class Measure>
int job_main(const char* program, const options& chosen, Measure measure) {
  try {
    atl::runtime job;
    if (chosen.pinned) pin(job.rank(), job.size());
    return measure(job, chosen) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", program, problem.what());
    return EXIT_FAILURE;
  }
}

}  // namespace bench
