// SPDX-License-Identifier: BSD-3-Clause
//
// Which algorithm does a call: what a setting or a test forces, else what measurements recommend
// for the size, the team and its hosts. All members come to the same answer, since it depends only
// on what they all know alike.
#pragma once

#include <atoll/coll/engine.hpp>

namespace atl::coll {

/// The algorithm for a call, and its radix.
choice recommended(const call& at) noexcept;

}  // namespace atl::coll
