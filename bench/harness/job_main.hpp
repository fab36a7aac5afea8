// SPDX-License-Identifier: BSD-3-Clause
//
// What the main function of every benchmark on Atoll does around its measuring: join the job, pin
// the rank, tell of errors.
#pragma once

#include <bench/harness/options.hpp>
#include <bench/harness/pin.hpp>
#include <bench/harness/suite.hpp>

#include <atoll/core/runtime.hpp>

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
