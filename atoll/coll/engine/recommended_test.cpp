// SPDX-License-Identifier: BSD-3-Clause
//
// Recommendations for ranks that share a core, which differ from those for a core each. The process
// is bound to one core, so that this holds on any machine.
#include <atoll/coll/engine/recommended.hpp>
#include <atoll/coll/reduction.hpp>
#include <atoll/core/job/runtime.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <sched.h>
#include <string_view>

namespace atl::coll {
namespace {

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
    call asked;
    asked.kind = kind;
    asked.bytes = bytes;
    asked.combine = built_in(reduce_operation::add, data_type::f64);
    asked.size = job.size();
    asked.whole_team = &job.world();
    asked.one_host = true;
    return recommended(asked).use->name;
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

}  // namespace
}  // namespace atl::coll
