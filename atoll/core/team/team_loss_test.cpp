// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads ask at one moment whether a team has lost a member: the first of them looks, and
// none may be told the result of a look that has not ended. Each new team is one such moment.
#include <atoll/core/team/team.hpp>

#include <atoll/core/job/layer_access.hpp>
#include <tests/support/memory_network.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

namespace atl {
namespace {

#ifdef ATOLL_SANITIZED
constexpr unsigned moments = 500;
#else
constexpr unsigned moments = 5000;
#endif

constexpr unsigned delays = 64;

void wait_briefly(unsigned steps) {
  for (unsigned i = 0; i < 8 * steps; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// Two threads that come to each moment together.
class two_threads {
 public:
  void meet(unsigned self, unsigned moment) {
    arrived_[self].store(moment + 1, std::memory_order_release);
    for (unsigned looks = 1; arrived_[1 - self].load(std::memory_order_acquire) <= moment; ++looks)
      if (looks % 1000 == 0) std::this_thread::yield();
  }

 private:
  std::array<std::atomic<unsigned>, 2> arrived_{};
};

TEST(a_lost_member, is_overlooked_by_no_thread) {
  support::memory_network_state network(2);
  support::run_over_memory(network, [&](runtime& job) {
    job.on_peer_lost({.run = [](void*, rank_id, std::string_view) noexcept {}});
    layer_access::boot(job).fence();
    network.lose(job.rank(), 1 - job.rank());
    if (job.rank() == 0) {
      std::vector<std::unique_ptr<team>> teams;
      for (unsigned i = 0; i < moments; ++i)
        teams.push_back(
            std::make_unique<team>(job, team_options{.id = 800, .members = rank_set{0, 1}}));
      two_threads both;
      std::atomic<unsigned> overlooked = 0;
      const auto ask = [&](unsigned self) {
        for (unsigned i = 0; i < moments; ++i) {
          both.meet(self, i);
          // Each thread comes a little later in turn, by all differences of some instructions.
          wait_briefly(self == 0 ? i % delays : i / delays % delays);
          if (!teams[i]->has_lost_member()) ++overlooked;
        }
      };
      std::jthread second(ask, 1u);
      ask(0);
      second.join();
      EXPECT_EQ(overlooked, 0u);
      EXPECT_FALSE(team(job, {.id = 801, .members = rank_set{0}}).has_lost_member());
    }
    layer_access::boot(job).fence();
  });
}

}  // namespace
}  // namespace atl
