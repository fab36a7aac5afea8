// SPDX-License-Identifier: BSD-3-Clause
//
// Records of operations and the implicit operations of a thread.
#include <atoll/core/event.hpp>
#include <atoll/core/thread_state.hpp>

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
  operation* const one = *held.begin();
  one->add_piece();
  EXPECT_FALSE(one->complete());
  one->end_piece();
  EXPECT_TRUE(one->complete());
  pool.give_back(one);
  EXPECT_EQ(pool.take(), one);
}

TEST(implicit_state, kinds_complete_apart) {
  operation_pool pool;
  implicit_state mine(pool);
  EXPECT_TRUE(mine.complete(implicit::put));
  mine.record(implicit::put)->add_piece();
  EXPECT_FALSE(mine.complete(implicit::put));
  EXPECT_TRUE(mine.complete(implicit::get));
  mine.record(implicit::put)->end_piece();
  EXPECT_TRUE(mine.complete(implicit::put));
}

TEST(implicit_state, a_region_keeps_its_operations_to_itself) {
  operation_pool pool;
  implicit_state mine(pool);
  mine.begin_region();
  operation* const inside = mine.record(implicit::get);
  inside->add_piece();
  event region = mine.end_region();
  EXPECT_FALSE(region.empty());
  EXPECT_TRUE(mine.complete(implicit::get)) << "outside of the region nothing is under way";
  EXPECT_EQ(region.record(), inside);
  inside->end_piece();
  EXPECT_TRUE(region.record()->complete());
}

TEST(implicit_state, a_region_without_waiting_work_ends_empty) {
  operation_pool pool;
  implicit_state mine(pool);
  mine.begin_region();
  EXPECT_TRUE(mine.end_region().empty());
  mine.begin_region();
  operation* const quick = mine.record(implicit::put);
  quick->add_piece();
  quick->end_piece();
  EXPECT_TRUE(mine.end_region().empty());
}

}  // namespace
}  // namespace atl
