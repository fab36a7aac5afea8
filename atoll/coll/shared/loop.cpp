// SPDX-License-Identifier: BSD-3-Clause
//
// Shared algorithms as tasks. On a host where a member had no memory for its lane, a call runs the
// algorithm that is recommended for members that share no memory. The engine has not counted such
// calls as ones that send messages; a fence now and then keeps members from running ahead without
// end.
#include <atoll/coll/shared/loop.hpp>

#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/engine/recommended.hpp>

namespace atl::coll {

namespace {
constexpr std::uint64_t calls_between_fences = 32;

task by_messages(call& c) {
  call apart = c.on_host(1);
  apart.turn = c.turn;
  apart.tag_base = c.tag_base;
  apart.one_host = false;
  const choice best = recommended(apart);
  apart.radix = best.radix;
  task inner = start(*best.use, apart);
  co_await inner;
  if (c.sequence % calls_between_fences == 0) {
    call fence = apart.as_phase(15);
    fence.radix = 2;
    task together = fence_dissemination(fence);
    co_await together;
  }
}

}  // namespace

task run_shared(call& c, const shared_form& form) {
  shared_lanes& lanes = lanes_of(c);
  if (!lanes.settled()) {
    co_await condition([&] { return lanes.settle(); });
  }
  if (lanes.refused()) {
    task instead = by_messages(c);
    co_await instead;
    co_return;
  }
  const scratch object(c.memory(), shared_form::bytes_max);
  form.make(object.data(), c, lanes);
  co_await condition([&] { return form.advance(object.data()); });
}

}  // namespace atl::coll
