// SPDX-License-Identifier: BSD-3-Clause
//
// Tags combine in any order and any number of times to the same result, which is what lets every
// barrier algorithm combine them its own way; and the barriers of one host, stepped by hand, also
// where their count of epochs wraps.
#include <atoll/base/rounding.hpp>
#include <atoll/core/team/barrier.hpp>
#include <atoll/core/team/host_barrier.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace atl {
namespace {

constexpr std::array tags{barrier_tag::anonymous(), barrier_tag::named(0), barrier_tag::named(7),
                          barrier_tag::named(~0u), barrier_tag::mismatch()};

TEST(barrier_tag, combination_is_commutative_associative_and_idempotent) {
  for (const barrier_tag a : tags) {
    EXPECT_EQ(combine(a, a), a);
    for (const barrier_tag b : tags) {
      EXPECT_EQ(combine(a, b), combine(b, a));
      for (const barrier_tag c : tags) {
        EXPECT_EQ(combine(combine(a, b), c), combine(a, combine(b, c)));
      }
    }
  }
}

TEST(barrier_tag, anonymous_yields_and_different_names_clash) {
  EXPECT_EQ(combine(barrier_tag::anonymous(), barrier_tag::named(7)), barrier_tag::named(7));
  EXPECT_TRUE(combine(barrier_tag::named(0), barrier_tag::named(7)).is_mismatch());
  EXPECT_TRUE(combine(barrier_tag::mismatch(), barrier_tag::anonymous()).is_mismatch());
  EXPECT_EQ(barrier_tag::named(~0u).id(), ~0u);
  EXPECT_EQ(barrier_tag::of_bits(barrier_tag::named(5).bits()), barrier_tag::named(5));
}

/// The members of a team on one host, all of them here, at some epoch.
class members_of_a_host {
 public:
  members_of_a_host(rank_id count, std::uint32_t epoch) : epoch_(epoch), bells_(count) {
    const std::size_t bytes = round_up(team_block::bytes(count), 128);
    memory_.reset(std::aligned_alloc(128, bytes));
    std::memset(memory_.get(), 0, bytes);
    for (auto& each : block().counters) each.epoch = epoch;
    for (rank_id i = 0; i < count; ++i) block().line(i, barrier_use{}).epoch = epoch;
  }
  team_block& block() { return *static_cast<team_block*>(memory_.get()); }
  host_members seen_by(rank_id self) {
    host_members made{.block = &block(), .self = self, .bells = {}, .epoch = epoch_};
    for (doorbell& each : bells_) made.bells.add(each);
    return made;
  }

 private:
  struct free_memory {
    void operator()(void* memory) const { std::free(memory); }
  };

  std::uint32_t epoch_;
  std::vector<doorbell> bells_;
  std::unique_ptr<void, free_memory> memory_;
};

/// In every round nobody leaves before all have come, all learn the same name, and one may be a
/// round ahead of the slowest.
void step_by_hand(const std::function<std::unique_ptr<barrier>(host_members)>& make) {
  for (const std::uint32_t epoch : {0u, ~0u - 5}) {
    constexpr rank_id count = 3;
    members_of_a_host host(count, epoch);
    std::vector<std::unique_ptr<barrier>> each;
    for (rank_id i = 0; i < count; ++i) each.push_back(make(host.seen_by(i)));
    for (std::uint32_t round = 0; round < 12; ++round) {
      const auto name = barrier_tag::named(round);
      const rank_id last = round % count;
      for (rank_id i = 0; i < count; ++i) {
        if (i == last) continue;
        if (round == 0) each[i]->arrive(name);  // later they did so ahead of the others, below
        ASSERT_FALSE(each[i]->test()) << "epoch " << epoch << ", round " << round;
      }
      each[last]->arrive(name);
      for (rank_id i = 0; i < count; ++i) {
        ASSERT_TRUE(each[i]->test()) << "epoch " << epoch << ", round " << round;
        EXPECT_EQ(each[i]->result(), name);
        if (i != (round + 1) % count) each[i]->arrive(barrier_tag::named(round + 1));
      }
    }
  }
}

TEST(flags_barrier, holds_everybody_back_until_all_have_come_also_where_its_epochs_wrap) {
  step_by_hand([](host_members members) {
    return std::make_unique<flags_barrier>(std::move(members), barrier_use{});
  });
}

TEST(counter_barrier, holds_everybody_back_until_all_have_come_also_where_its_epochs_wrap) {
  step_by_hand([](host_members members) {
    return std::make_unique<counter_barrier>(std::move(members), barrier_use{}, true);
  });
}

}  // namespace
}  // namespace atl
