// SPDX-License-Identifier: BSD-3-Clause
//
// Tests mistakes that existing programs have, and that an optimised program survives:
// UPCXX_ASSERT_ENABLED is 0 in this file, whatever the build. Each mistake is reported once per
// process, and the program goes on as it was meant. mistakes.cpp has the same with checks.
#undef UPCXX_ASSERT_ENABLED
#define UPCXX_ASSERT_ENABLED 0

#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/upcxx.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace {

std::size_t times(std::string_view pattern, std::string_view text) {
  std::size_t count = 0;
  for (auto position = text.find(pattern); position != text.npos;
       position = text.find(pattern, position + 1))
    ++count;
  return count;
}

// One promise that collects many operations, each of which brings a value.
TEST(tolerated, values_that_are_given_again_replace_those_before_and_one_warning_tells) {
  ::testing::internal::CaptureStderr();
  upcxx::atomic_domain<std::int64_t> domain({upcxx::atomic_op::fetch_inc});
  const auto counter = upcxx::new_<std::int64_t>(5);
  upcxx::promise<std::int64_t> last;
  for (int i = 0; i < 3; ++i) {
    domain.fetch_inc(counter, std::memory_order_relaxed, upcxx::operation_cx::as_promise(last));
  }
  EXPECT_EQ(last.finalize().wait(), 7);
  const upcxx::promise<std::string, int> other(2);
  other.fulfill_result(std::string(100, 'a'), 1);
  other.fulfill_result(std::string(100, 'b'), 2);
  EXPECT_EQ(other.get_future().result<0>(), std::string(100, 'b'));
  EXPECT_EQ(other.get_future().result<1>(), 2);
  const std::string warnings = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(times("promise::fulfill_result: the values have been given before", warnings), 1u)
      << warnings;
  upcxx::delete_(counter);
  upcxx::barrier();
  domain.destroy();
}

// A program that prints its rank before init().
TEST(tolerated, ranks_are_asked_for_without_a_job_and_one_warning_tells) {
  const upcxx::intrank_t ranks = upcxx::rank_n();
  upcxx::finalize();
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(upcxx::rank_me(), -1);
  EXPECT_EQ(upcxx::rank_n(), -1);
  const std::string warnings = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(times("upcxx::rank_me: UPC++ is not initialized", warnings), 1u) << warnings;
  EXPECT_EQ(times("UPC++ is not initialized", warnings), 1u) << warnings;
  upcxx::init();
  EXPECT_EQ(upcxx::rank_n(), ranks);
}

// A table in main() whose destructor gives its shared memory back, after finalize().
TEST(tolerated, shared_memory_is_given_back_after_the_job_and_one_warning_tells) {
  const upcxx::global_ptr<std::int64_t> array = upcxx::new_array<std::int64_t>(8);
  const upcxx::global_ptr<std::string> texts = upcxx::new_array<std::string>(2);
  const upcxx::global_ptr<std::string> text = upcxx::new_<std::string>(3, 'a');
  const upcxx::global_ptr<char> bytes = upcxx::allocate<char>(10);
  void* const block = upcxx::allocate(10);
  upcxx::finalize();
  ::testing::internal::CaptureStderr();
  upcxx::delete_array(array);
  upcxx::delete_array(texts);
  upcxx::delete_(text);
  upcxx::deallocate(bytes);
  upcxx::deallocate(block);
  const std::string warnings = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(times("upcxx::delete_array: UPC++ is not initialized", warnings), 1u) << warnings;
  EXPECT_EQ(times("UPC++ is not initialized", warnings), 1u) << warnings;
  upcxx::init();
  upcxx::delete_(upcxx::new_<int>(1));
}

}  // namespace
