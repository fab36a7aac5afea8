// SPDX-License-Identifier: BSD-3-Clause
//
// The variants in UPC++: tiles as coroutines, tiles as chains of futures, and steps between
// barriers.
#pragma once

#include <apps/cholesky/problem.hpp>
#include <apps/trial/journal.hpp>

namespace cholesky {

/// The work that a picture shows.
enum work : trial::work_kind { factoring, solving, updating };

/// Names of the variants, in the order in which they run.
std::vector<std::string> upcxx_variants();

/// Makes the variants of these names, on one matrix. They keep references to the problem and the
/// journal.
trial::variant_list make_upcxx_variants(const problem& problem, std::size_t tile_size,
                                        trial::journal& times,
                                        const std::vector<std::string>& names);

}  // namespace cholesky
