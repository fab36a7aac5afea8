// SPDX-License-Identifier: BSD-3-Clause
//
// The core's round trip inside of a UPC++ program: the same message as bench_latency's
// am_short_round_trip, on the primordial endpoint of the runtime that upcxx::init() has made.
#include <bench/upcxx/core.hpp>

#include <atoll/core/job/runtime.hpp>
#include <upcxx/job.hpp>

namespace {

enum : atl::handler_id { echo = 201, answer };

std::uint64_t answers = 0, asked = 0;
std::uint64_t handled = 0, expected = 0;

void on_echo(void*, atl::am_token& token, const std::uint32_t*, unsigned, void*, std::size_t) {
  ++handled;
  token.reply({.handler = answer});
}
void on_answer(void*, atl::am_token&, const std::uint32_t*, unsigned, void*, std::size_t) {
  ++answers;
}

}  // namespace

void core_round_trips(std::uint64_t count) {
  atl::runtime& job = *atl::upcxx_front::job.runtime;
  atl::endpoint& endpoint = job.primordial();
  if (endpoint.handlers().set(echo, {.run = on_echo, .name = "bench echo"})) {
    endpoint.handlers().set(answer, {.run = on_answer, .name = "bench answer"});
    job.world().barrier();  // every rank is here for the first time
  }
  const atl::rank_id target = job.size() == 1 ? 0 : 1;
  if (job.rank() == target) expected += count;
  if (job.rank() == 0) {
    for (std::uint64_t i = 0; i < count; ++i) {
      ++asked;
      endpoint.request({.target = target, .handler = echo});
      job.wait_until([] { return answers == asked; });
    }
  }
  if (job.rank() == target) job.wait_until([] { return handled == expected; });
}
