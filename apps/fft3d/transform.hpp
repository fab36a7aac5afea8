// SPDX-License-Identifier: BSD-3-Clause
//
// The variants over the core's collectives and puts. Each transforms plane by plane and hands every
// plane to an exchange; they differ in the exchanges, and in slabs or pencils.
#pragma once

#include <apps/fft3d/problem.hpp>
#include <apps/trial/arena.hpp>
#include <apps/trial/trial.hpp>

namespace fft3d {

/// Names of the variants, in the order in which they run.
std::vector<std::string> job_variants();

/// Makes the variants of these names. Keeps references to the problem and the team.
trial::variant_list make_job_variants(atl::team& world, const problem& problem, unsigned planning,
                                      const std::vector<std::string>& names);

}  // namespace fft3d
