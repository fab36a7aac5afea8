// SPDX-License-Identifier: BSD-3-Clause
//
// The algorithm that measurements recommend for a call, by the size of its data, the team and its
// hosts; for calls for which nothing is forced or tuned (selection.hpp). All members choose the
// same one, since the choice depends only on what all of them know.
#pragma once

#include <atoll/coll/engine/engine.hpp>

namespace atl::coll {

/// The algorithm for a call, and its radix.
choice recommended(const call& call) noexcept;

}  // namespace atl::coll
