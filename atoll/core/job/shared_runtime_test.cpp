// SPDX-License-Identifier: BSD-3-Clause
//
// All callers get the same runtime as long as one of them holds it.
#include <atoll/core/job/shared_runtime.hpp>

#include <atoll/base/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace atl {
namespace {

runtime_options small(thread_mode threads) {
  const std::vector<std::string> lines{"ATOLL_SEGMENT_LIMIT=16M"};
  return {.threads = threads, .configuration = settings::from_environment(lines)};
}

TEST(shared_runtime, lasts_as_long_as_one_front_holds_it) {
  EXPECT_EQ(find_shared_runtime(), nullptr);
  auto first = start_shared_runtime(small(thread_mode::any));
  auto second = find_shared_runtime();
  EXPECT_EQ(first, second);
  EXPECT_THROW(start_shared_runtime(small(thread_mode::any)), error);
  first.reset();
  EXPECT_EQ(find_shared_runtime(), second);
  second.reset();
  EXPECT_EQ(find_shared_runtime(), nullptr);
  EXPECT_NE(start_shared_runtime(small(thread_mode::any)), nullptr);  // and again
}

TEST(shared_runtime, refuses_a_front_that_wants_more_threads_than_it_was_started_for) {
  const auto shared = start_shared_runtime(small(thread_mode::single));
  EXPECT_NO_THROW(need_threads(*shared, thread_mode::single, "UPC++"));
  EXPECT_THROW(need_threads(*shared, thread_mode::any, "UPC++"), error);
}

}  // namespace
}  // namespace atl
