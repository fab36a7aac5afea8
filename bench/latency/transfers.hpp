// SPDX-License-Identifier: BSD-3-Clause
//
// Cases of puts and gets of 8 bytes through the inline functions of C++, beside the store and the
// load that they should compile to.
#pragma once

#include <bench/harness/rank_pair.hpp>
#include <bench/harness/suite.hpp>

namespace bench {

/// Adds the cases; `pair` must outlive the suite.
void add_transfer_cases(suite& to, const rank_pair& pair);

}  // namespace bench
