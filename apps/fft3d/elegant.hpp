// SPDX-License-Identifier: BSD-3-Clause
//
// The short way: transform planes, transpose, transform columns.
#pragma once

#include <apps/fft3d/problem.hpp>
#include <atoll/core/team/team.hpp>

namespace fft3d {

std::unique_ptr<trial::variant> make_elegant(atl::team& world, const problem& problem,
                                             unsigned planning);

}  // namespace fft3d
