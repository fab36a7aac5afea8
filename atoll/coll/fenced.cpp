// SPDX-License-Identifier: BSD-3-Clause
//
// A call whose members begin together, or end together, or both: its algorithm between fences of
// all members. The messages of a fence are a phase of their own, above those that algorithms use.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/engine.hpp>

namespace atl::coll {

task run_fenced(call& c) {
  const choice& how = c.op->with_fences;
  if (how.begins_together) {
    call before = c.as_phase(14);
    task all_here = fence_dissemination(before);
    co_await all_here;
  }
  task inner = how.use->run(c);
  co_await inner;
  if (how.ends_together) {
    call after = c.as_phase(15);
    task all_done = fence_dissemination(after);
    co_await all_done;
  }
}

}  // namespace atl::coll
