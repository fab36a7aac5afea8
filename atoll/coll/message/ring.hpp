// SPDX-License-Identifier: BSD-3-Clause
//
// The ring that ends several algorithms: every member has one block of `data`, and all want all.
// In each step a member passes on to its right what came from its left in the step before.
#pragma once

#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/message/blocks.hpp>

namespace atl::coll {

/// The member `number` of `c.size` has block `number` of `data`; afterwards it has all. Numbers are
/// ranks counted from `first` on. Uses the tags from `tag` to `tag + c.size - 1`.
struct ring_plan {
  std::byte* data;
  blocks cut;
  rank_id first;
  std::uint32_t tag;
};
task gather_around_ring(call& c, ring_plan plan);

}  // namespace atl::coll
