// SPDX-License-Identifier: BSD-3-Clause
//
// Tests chapter 2: starting and ending, versions and modes; calls that are allowed before init()
// and after finalize(); and extensions for output and the environment.
#include <gtest/gtest.h>
#include <upcxx/upcxx.hpp>

#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <type_traits>

#if UPCXX_SPEC_VERSION < 20230300L || UPCXX_VERSION < 20230300L
#error the versions must be usable in the preprocessor
#endif
#if !UPCXX_THREADMODE || !UPCXX_NETWORK_ATOLL
#error any thread may communicate, and the network has a name
#endif
#if UPCXX_ASSERT_ENABLED ? defined(UPCXX_CODEMODE) : !UPCXX_CODEMODE
#error the code mode is undefined where assertions are on, and else not zero
#endif

namespace {

static_assert(std::is_signed_v<upcxx::intrank_t> && std::is_integral_v<upcxx::intrank_t>);
static_assert(std::is_void_v<decltype(UPCXX_ASSERT_ALWAYS(true))>);
static_assert(std::is_void_v<decltype(UPCXX_ASSERT(true, "never " << 1))>);
static_assert(std::is_same_v<decltype(upcxx::initialized()), bool>);

int evaluations = 0;
bool evaluate() { return ++evaluations > 0; }

TEST(versions, are_those_of_the_library) {
  EXPECT_EQ(upcxx::release_version(), UPCXX_VERSION);
  EXPECT_EQ(upcxx::spec_version(), UPCXX_SPEC_VERSION);
}

TEST(assertions, are_expressions_that_make_their_message_only_when_needed) {
  const auto noted = [] { return evaluate() ? "said" : "not"; };
  evaluations = 0;
  (UPCXX_ASSERT_ALWAYS(evaluate(), "the message " << noted()), void());
  EXPECT_EQ(evaluations, 1);
  UPCXX_ASSERT(evaluate());
  EXPECT_EQ(evaluations, 1 + UPCXX_ASSERT_ENABLED);
}

TEST(init, counts_calls_and_can_be_repeated_after_the_end) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_FALSE(upcxx::initialized());
    upcxx::init();
    EXPECT_TRUE(upcxx::initialized());
    EXPECT_TRUE(upcxx::master_persona().active_with_caller());
    EXPECT_GE(upcxx::rank_me(), 0);
    EXPECT_LT(upcxx::rank_me(), upcxx::rank_n());
    upcxx::init();
    const auto own = upcxx::new_<int>(upcxx::rank_me());
    upcxx::dist_object<upcxx::global_ptr<int>> directory(own);
    const auto next = directory.fetch((upcxx::rank_me() + 1) % upcxx::rank_n()).wait();
    EXPECT_EQ(upcxx::rget(next).wait(), (upcxx::rank_me() + 1) % upcxx::rank_n());
    upcxx::finalize();
    EXPECT_TRUE(upcxx::initialized());
    EXPECT_EQ(upcxx::rget(next).wait(), next.where());
    upcxx::barrier();
    upcxx::delete_(own);
    upcxx::finalize();
  }
  EXPECT_FALSE(upcxx::initialized());
}

TEST(init, is_not_needed_for_null_pointers_and_futures) {
  const upcxx::global_ptr<int> null;
  EXPECT_TRUE(null.is_null() && null.is_local() && null == nullptr);
  upcxx::future<int> ready = upcxx::make_future(1);
  const upcxx::future<int> copy = ready;
  upcxx::future<int> moved = std::move(ready);
  EXPECT_EQ(upcxx::when_all(copy, moved, 3).result(), std::make_tuple(1, 1, 3));
  EXPECT_EQ(upcxx::to_future(4).then([](int v) { return v + 1; }).result(), 5);
  upcxx::promise<int> later;
  const upcxx::future<int> result = later.get_future();
  later.fulfill_result(6);
  EXPECT_EQ(result.result(), 6);
  EXPECT_FALSE(upcxx::future<>().ready());
  EXPECT_FALSE(upcxx::team_id() != upcxx::team_id());
}

TEST(environment, is_the_consoles_and_has_types) {
  using upcxx::experimental::os_env;
  upcxx::init();
  EXPECT_EQ(upcxx::getenv_console("ATOLL_TEST_SURELY_NOT_SET"), nullptr);
  ASSERT_NE(upcxx::getenv_console("SPEC_TEST_NUMBER"), nullptr);
  EXPECT_STREQ(upcxx::getenv_console("SPEC_TEST_NUMBER"), "12");
  EXPECT_EQ(os_env<int>("SPEC_TEST_NUMBER"), 12);
  EXPECT_EQ(os_env<int>("ATOLL_TEST_SURELY_NOT_SET"), 0);
  EXPECT_EQ(os_env("SPEC_TEST_NUMBER", std::string("else")), "12");
  EXPECT_EQ(os_env("ATOLL_TEST_SURELY_NOT_SET", std::string("else")), "else");
  EXPECT_EQ(os_env("SPEC_TEST_NUMBER", std::int64_t{1}, 1024), 12 * 1024);
  EXPECT_EQ(os_env("SPEC_TEST_SIZE", std::int64_t{1}, 1024), 3 << 19);
  EXPECT_EQ(os_env("ATOLL_TEST_SURELY_NOT_SET", std::int64_t{7}, 1024), 7);
  upcxx::finalize();
}

TEST(say, writes_whole_lines_that_begin_with_the_rank) {
  upcxx::init();
  std::ostringstream plain;
  std::ostringstream prefixed;
  upcxx::experimental::say(plain) << "one " << 2;
  upcxx::experimental::say(prefixed, "<%d> ") << "three";
  EXPECT_EQ(plain.str(), "[" + std::to_string(upcxx::rank_me()) + "] one 2\n");
  EXPECT_EQ(prefixed.str(), "<" + std::to_string(upcxx::rank_me()) + "> three\n");
  upcxx::finalize();
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
