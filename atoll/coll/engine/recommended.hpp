// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses the algorithm of a call: the one that a setting or a test forces, else the one that
// measurements recommend for the size, the team and its hosts. All members choose the same one,
// since the choice depends only on what all of them know.
#pragma once

#include <atoll/coll/engine/engine.hpp>

namespace atl::coll {

/// The algorithm for a call, and its radix.
choice recommended(const call& call) noexcept;

}  // namespace atl::coll
