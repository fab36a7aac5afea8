// SPDX-License-Identifier: BSD-3-Clause
//
// Recommendations between hosts, and for ranks that share a core, which differ from those for a
// core each. For these the process is bound to one core, so that this holds on any machine.
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/engine/recommended.hpp>
#include <atoll/coll/reduction.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/core/job/runtime.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <sched.h>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

namespace atl::coll {
namespace {

choice choice_on_one_host(runtime& job, collective kind, std::size_t bytes) {
  call asked;
  asked.kind = kind;
  asked.bytes = bytes;
  asked.combine = built_in(reduce_operation::add, data_type::f64);
  asked.size = job.size();
  asked.whole_team = &job.world();
  asked.one_host = true;
  return recommended(asked);
}

class on_one_core : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::sched_getaffinity(0, sizeof before_, &before_), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    unsigned core = 0;
    while (!CPU_ISSET(core, &before_)) ++core;
    CPU_SET(core, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  }
  void TearDown() override { ::sched_setaffinity(0, sizeof before_, &before_); }

  static std::string_view algorithm_of(runtime& job, collective kind, std::size_t bytes) {
    return choice_on_one_host(job, kind, bytes).use->name;
  }

 private:
  cpu_set_t before_;
};

TEST_F(on_one_core, a_scan_wakes_only_the_next_member) {
  support::run_job(3, [](runtime& job) {
    ASSERT_TRUE(job.is_oversubscribed());
    EXPECT_EQ(algorithm_of(job, collective::scan, 8), "shared_chain");
    EXPECT_EQ(algorithm_of(job, collective::scan, 512), "shared_chain");
  });
}

TEST_F(on_one_core, the_root_of_a_small_reduction_reads_all_lanes) {
  support::run_job(6, [](runtime& job) {
    EXPECT_EQ(algorithm_of(job, collective::reduce, 8), "shared");
    EXPECT_EQ(algorithm_of(job, collective::reduce, 65536), "shared");
  });
  support::run_job(8, [](runtime& job) {
    EXPECT_EQ(algorithm_of(job, collective::reduce, 64), "shared");
    EXPECT_EQ(algorithm_of(job, collective::reduce, 65536), "shared_tree");
  });
}

TEST_F(on_one_core, four_members_send_large_data_and_combine_them_in_pairs) {
  support::run_job(4, [](runtime& job) {
    EXPECT_EQ(algorithm_of(job, collective::scatter, 32 << 10), "shared");
    EXPECT_EQ(algorithm_of(job, collective::scatter, 64 << 10), "linear");
    EXPECT_EQ(algorithm_of(job, collective::alltoall, 64 << 10), "shared_counted");
    EXPECT_EQ(algorithm_of(job, collective::alltoall, 128 << 10), "pairwise");
    const auto radix = [&](std::size_t bytes) {
      EXPECT_EQ(algorithm_of(job, collective::allreduce, bytes), "shared_tree");
      return choice_on_one_host(job, collective::allreduce, bytes).radix;
    };
    EXPECT_GT(radix(16 << 10), 2u);
    EXPECT_EQ(radix(32 << 10), 2u);
  });
  support::run_job(5, [](runtime& job) {
    EXPECT_EQ(algorithm_of(job, collective::scatter, 128 << 10), "shared");
    EXPECT_EQ(algorithm_of(job, collective::scatter, 256 << 10), "linear");
  });
}

TEST(recommended, two_members_with_a_core_each_meet_in_shared_memory) {
  support::run_job(2, [](runtime& job) {
    if (job.is_oversubscribed()) GTEST_SKIP() << "there is one core";
    for (const std::size_t bytes : {64 << 10, 1 << 20, 4 << 20}) {
      EXPECT_EQ(choice_on_one_host(job, collective::allgather, bytes).use->name, "shared");
      EXPECT_EQ(choice_on_one_host(job, collective::allreduce, bytes).use->name, "shared");
      EXPECT_EQ(choice_on_one_host(job, collective::alltoall, bytes).use->name,
                bytes < 2 << 20 ? "shared" : "pairwise");
    }
    EXPECT_EQ(choice_on_one_host(job, collective::scan, 8).use->name, "shared_chain");
  });
}

std::string_view algorithm_between_hosts(team& group, collective kind, std::size_t bytes) {
  call asked;
  asked.kind = kind;
  asked.bytes = bytes;
  asked.combine = built_in(reduce_operation::add, data_type::f64);
  asked.size = group.size();
  asked.whole_team = &group;
  return recommended(asked).use->name;
}

TEST(recommended, a_scan_crosses_from_host_to_host_as_seldom_as_can_be) {
  const auto two_hosts = [](runtime& job) {
    open(job);
    EXPECT_EQ(algorithm_between_hosts(job.world(), collective::scan, 8), "chain");
    const auto own = static_cast<int>(job.rank());
    std::unique_ptr<team> interleaved = split_team(job.world(), 0, own % 3 * 10 + own);
    EXPECT_EQ(algorithm_between_hosts(*interleaved, collective::scan, 8), "doubling");
    destroy_team(std::move(interleaved));
  };
  support::run_job(6, two_hosts, {"ATOLL_NEIGHBOURHOOD=3"});
  const auto three_hosts = [](runtime& job) {
    EXPECT_EQ(algorithm_between_hosts(job.world(), collective::scan, 8), "hierarchical");
    EXPECT_EQ(algorithm_between_hosts(job.world(), collective::scan, 65536), "chain");
  };
  support::run_job(6, three_hosts, {"ATOLL_NEIGHBOURHOOD=2"});
  const auto lone_members = [](runtime& job) {
    EXPECT_EQ(algorithm_between_hosts(job.world(), collective::scan, 8), "doubling");
  };
  support::run_job(3, lone_members, {"ATOLL_NEIGHBOURHOOD=1"});
}

// A hierarchical algorithm would only copy the data once more.
TEST(recommended, lone_members_of_hosts_need_no_hierarchy) {
  constexpr std::array kinds{collective::broadcast, collective::reduce, collective::allreduce,
                             collective::scatter,   collective::gather, collective::allgather,
                             collective::alltoall,  collective::scan};
  const auto body = [&](runtime& job) {
    for (const collective kind : kinds) {
      for (std::size_t bytes = 8; bytes <= 4 << 20; bytes *= 8)
        EXPECT_NE(algorithm_between_hosts(job.world(), kind, bytes), "hierarchical") << bytes;
    }
    EXPECT_EQ(algorithm_between_hosts(job.world(), collective::allreduce, 64 << 10),
              job.size() == 2 ? "recursive_doubling" : "scatter_allgather");
  };
  for (const rank_id ranks : {2, 3}) support::run_job(ranks, body, {"ATOLL_NEIGHBOURHOOD=1"});
  const auto pairs = [](runtime& job) {
    EXPECT_EQ(algorithm_between_hosts(job.world(), collective::allreduce, 8), "hierarchical");
  };
  support::run_job(4, pairs, {"ATOLL_NEIGHBOURHOOD=2"});
}

TEST(recommended, four_lone_members_send_few_messages) {
  const auto body = [](runtime& job) {
    const auto of = [&](collective kind, std::size_t bytes) {
      return algorithm_between_hosts(job.world(), kind, bytes);
    };
    for (const std::size_t bytes : {8, 512, 16 << 10})
      EXPECT_EQ(of(collective::allgather, bytes),
                job.size() == 4 ? "recursive_doubling" : "linear");
    EXPECT_EQ(of(collective::allgather, 32 << 10), "linear");
    EXPECT_EQ(of(collective::scan, 512), "doubling");
    EXPECT_EQ(of(collective::scan, 16 << 10), "chain");
    EXPECT_EQ(of(collective::reduce, 256 << 10), "tree");
  };
  for (const rank_id ranks : {3, 4}) support::run_job(ranks, body, {"ATOLL_NEIGHBOURHOOD=1"});
}

TEST(recommended, small_blocks_go_to_other_hosts_together) {
  const auto of = [](runtime& job, std::size_t bytes) {
    return algorithm_between_hosts(job.world(), collective::alltoall, bytes);
  };
  support::run_job(6,
                   [&](runtime& job) {
                     EXPECT_EQ(of(job, 1024), "hierarchical");
                     EXPECT_EQ(of(job, 2048), "pairwise");
                   },
                   {"ATOLL_NEIGHBOURHOOD=3"});
  support::run_job(3, [&](runtime& job) { EXPECT_EQ(of(job, 1024), "pairwise"); },
                   {"ATOLL_NEIGHBOURHOOD=1"});
}

TEST(recommended, large_reductions_are_halved_among_powers_of_two) {
  const auto body = [](runtime& job) {
    const bool is_power = job.size() == 4;
    const auto of = [&](collective kind, std::size_t bytes) {
      return algorithm_between_hosts(job.world(), kind, bytes);
    };
    EXPECT_EQ(of(collective::allreduce, 1 << 20), "hierarchical");
    EXPECT_EQ(of(collective::allreduce, 2 << 20),
              is_power ? "recursive_halving" : "scatter_allgather");
    EXPECT_EQ(of(collective::reduce, 2 << 20), is_power ? "recursive_halving" : "scatter_gather");
  };
  for (const rank_id ranks : {4, 6}) support::run_job(ranks, body, {"ATOLL_NEIGHBOURHOOD=2"});
}

}  // namespace
}  // namespace atl::coll
