// SPDX-License-Identifier: BSD-3-Clause
//
// Records of operations and the implicit operations of a thread.
#include <atoll/core/progress/event.hpp>
#include <atoll/core/progress/thread_state.hpp>

#include <gtest/gtest.h>

#include <set>

namespace atl {
namespace {

TEST(operation_pool, records_are_distinct_complete_and_reused) {
  operation_pool pool;
  std::set<operation*> held;
  for (int i = 0; i < 1000; ++i) {
    operation* const record = pool.take();
    ASSERT_NE(record, nullptr);
    EXPECT_TRUE(record->complete());
    EXPECT_TRUE(held.insert(record).second);
  }
  operation* const reused = *held.begin();
  reused->add_piece();
  EXPECT_FALSE(reused->complete());
  reused->end_piece();
  EXPECT_TRUE(reused->complete());
  pool.give_back(reused);
  EXPECT_EQ(pool.take(), reused);
}

TEST(implicit_state, kinds_complete_apart) {
  operation_pool pool;
  implicit_state state(pool);
  EXPECT_TRUE(state.complete(implicit::put));
  state.record(implicit::put)->add_piece();
  EXPECT_FALSE(state.complete(implicit::put));
  EXPECT_TRUE(state.complete(implicit::get));
  state.record(implicit::put)->end_piece();
  EXPECT_TRUE(state.complete(implicit::put));
}

TEST(implicit_state, a_region_keeps_its_operations_to_itself) {
  operation_pool pool;
  implicit_state state(pool);
  state.begin_region();
  operation* const inside = state.record(implicit::get);
  inside->add_piece();
  event region = state.end_region();
  EXPECT_FALSE(region.empty());
  EXPECT_TRUE(state.complete(implicit::get)) << "outside of the region nothing is under way";
  EXPECT_EQ(region.record(), inside);
  inside->end_piece();
  EXPECT_TRUE(region.record()->complete());
}

TEST(implicit_state, a_region_without_waiting_work_ends_empty) {
  operation_pool pool;
  implicit_state state(pool);
  state.begin_region();
  EXPECT_TRUE(state.end_region().empty());
  state.begin_region();
  operation* const quick = state.record(implicit::put);
  quick->add_piece();
  quick->end_piece();
  EXPECT_TRUE(state.end_region().empty());
}

}  // namespace
}  // namespace atl
