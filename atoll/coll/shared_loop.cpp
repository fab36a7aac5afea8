// SPDX-License-Identifier: BSD-3-Clause
//
// A call of a shared algorithm on a host where a member had no memory for its lane: it runs the
// algorithm that is recommended for members that share no memory. The engine has not counted such
// calls as ones that send messages; a fence now and then keeps members from running ahead without
// end.
#include <atoll/coll/shared_loop.hpp>

#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/recommended.hpp>

namespace atl::coll {

namespace {
constexpr std::uint64_t calls_between_fences = 32;
}

task by_messages(call& c) {
  call apart = c.on_host(1);
  apart.turn = c.turn;
  apart.tag_base = c.tag_base;
  apart.one_host = false;
  const choice best = recommended(apart);
  apart.radix = best.radix;
  task inner = best.use->run(apart);
  co_await inner;
  if (c.sequence % calls_between_fences == 0) {
    call fence = apart.as_phase(15);
    fence.radix = 2;
    task together = fence_dissemination(fence);
    co_await together;
  }
}

}  // namespace atl::coll
