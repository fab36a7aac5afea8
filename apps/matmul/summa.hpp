// SPDX-License-Identifier: BSD-3-Clause
//
// The variants on Atoll's core, all of them SUMMA: every rank computes its block of C from panels
// of A that the ranks of its row have, and panels of B that those of its column have. They differ
// in how panels are moved.
#pragma once

#include <apps/matmul/options.hpp>
#include <apps/matmul/problem.hpp>
#include <apps/trial/arena.hpp>
#include <apps/trial/journal.hpp>

namespace matmul {

/// The work that a picture shows: starts of panels and waits for them, and products.
enum work : trial::work_kind { moving, multiplying };

/// Names of the variants, in the order in which they run.
std::vector<std::string> job_variants();
/// Names of the measurements besides the variants: the local library alone, on all cores.
std::vector<std::string> job_measures();

/// Makes the variants of these names, for panels of `width` columns. Keeps references to the
/// problem, the team and the journal.
trial::variant_list make_job_variants(atl::team& world, const problem& problem, std::size_t width,
                                      trial::journal& times, const std::vector<std::string>& names);

}  // namespace matmul
