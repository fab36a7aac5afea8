// SPDX-License-Identifier: BSD-3-Clause
//
// The first half of the reductions of large data: each member ends with the result of one block.
#pragma once

#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/message/blocks.hpp>

namespace atl::coll {

/// Combines block `rank` of `c.from` of all members into `own`, which may be that block itself.
/// Uses the tags from 0 to `c.size - 1`.
task reduce_scatter(call& c, std::byte* own, blocks cut);

}  // namespace atl::coll
