// SPDX-License-Identifier: BSD-3-Clause
//
// A call whose members begin together, or end together, or both: its algorithm between fences of
// all members. The messages of a fence are a phase of their own, above those that algorithms use.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/engine/engine.hpp>

namespace atl::coll {

task run_fenced(call& c) {
  const choice& options = c.op->with_fences;
  if (options.begins_together) {
    call beginning = c.as_phase(14);
    task all_arrived = fence_dissemination(beginning);
    co_await all_arrived;
  }
  task inner = start(*options.use, c);
  co_await inner;
  if (options.ends_together) {
    call ending = c.as_phase(15);
    task all_done = fence_dissemination(ending);
    co_await all_done;
  }
}

}  // namespace atl::coll
