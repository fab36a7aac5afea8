// SPDX-License-Identifier: BSD-3-Clause
//
// Each operation on each type does what its definition says, on one number and without others; sets
// of operations; what a domain refuses. Between ranks: tests/conformance/atomic_suite_test.cpp.
#include <atoll/base/error.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/runtime.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace atl {
namespace {

template <class T>
class atomic_numbers : public testing::Test {
 protected:
  /// Does both forms on `old_value`, and compares the numbers that they leave and return.
  void expect(T old_value, atomic_op op, T a, T new_value, T b = {}) {
    const auto fetching = static_cast<atomic_op>(static_cast<unsigned>(op) + 14);
    T number = old_value;
    perform(&number, {.op = op, .operand = a, .operand2 = b});
    EXPECT_EQ(number, new_value) << name_of(op);
    number = old_value;
    EXPECT_EQ(perform(&number, {.op = fetching, .operand = a, .operand2 = b}), old_value)
        << name_of(fetching);
    EXPECT_EQ(number, new_value) << name_of(fetching);
  }
};

using numbers =
    testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(atomic_numbers, numbers, );

TYPED_TEST(atomic_numbers, each_operation_leaves_what_its_definition_says) {
  using T = TypeParam;
  this->expect(T{20}, atomic_op::add, T{22}, T{42});
  this->expect(T{20}, atomic_op::sub, T{5}, T{15});
  this->expect(T{6}, atomic_op::mult, T{7}, T{42});
  this->expect(T{6}, atomic_op::min, T{7}, T{6});
  this->expect(T{7}, atomic_op::min, T{6}, T{6});
  this->expect(T{6}, atomic_op::max, T{7}, T{7});
  this->expect(T{7}, atomic_op::max, T{6}, T{7});
  this->expect(T{6}, atomic_op::inc, T{99}, T{7});
  this->expect(T{6}, atomic_op::dec, T{99}, T{5});
  this->expect(T{6}, atomic_op::set, T{9}, T{9});
  this->expect(T{6}, atomic_op::cas, T{6}, T{11}, T{11});
  this->expect(T{6}, atomic_op::cas, T{5}, T{6}, T{11});
  T number{5};
  EXPECT_EQ(perform(&number, {.op = atomic_op::get}), T{5});
  EXPECT_EQ(perform(&number, {.op = atomic_op::get}, {.release = true}), T{5});
  perform(&number, {.op = atomic_op::set, .operand = T{8}}, {.acquire = true});
  EXPECT_EQ(number, T{8});
}

TYPED_TEST(atomic_numbers, integers_have_bits_and_wrap_and_floating_numbers_have_a_sign) {
  using T = TypeParam;
  if constexpr (std::integral<T>) {
    this->expect(T{0b1100}, atomic_op::bit_and, T{0b1010}, T{0b1000});
    this->expect(T{0b1100}, atomic_op::bit_or, T{0b1010}, T{0b1110});
    this->expect(T{0b1100}, atomic_op::bit_xor, T{0b1010}, T{0b0110});
    constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    this->expect(most, atomic_op::inc, T{}, least);
    this->expect(most, atomic_op::add, T{2}, static_cast<T>(least + 1));
    this->expect(least, atomic_op::dec, T{}, most);
    this->expect(most, atomic_op::mult, T{2}, static_cast<T>(-2));
    this->expect(static_cast<T>(-1), atomic_op::min, T{1}, std::signed_integral<T> ? T(-1) : T{1});
  } else {
    this->expect(T{-1.5}, atomic_op::mult, T{3}, T{-4.5});
    this->expect(T{-1.5}, atomic_op::max, T{-2}, T{-1.5});
    // Compared by value: the two zeros are one.
    this->expect(T{-0.0}, atomic_op::cas, T{0.0}, T{7}, T{7});
    T number = std::numeric_limits<T>::quiet_NaN();
    perform(&number, {.op = atomic_op::add, .operand = T{1}});
    EXPECT_TRUE(std::isnan(number));
  }
}

TEST(atomic_ops, know_their_members_and_those_of_each_type) {
  constexpr atomic_ops some = atomic_op::add | atomic_op::fetch_cas;
  static_assert(some.contains(atomic_op::add) && !some.contains(atomic_op::fetch_add));
  EXPECT_EQ(names_of(some), "add, fetch_cas");
  EXPECT_TRUE((some - atomic_op::add) == atomic_ops(atomic_op::fetch_cas));
  unsigned integer = 0, floating = 0;
  for (unsigned at = 0; at < 32; ++at) {
    const auto op = static_cast<atomic_op>(at);
    integer += ops_of(data_type::u64).contains(op);
    floating += ops_of(data_type::f32).contains(op);
  }
  EXPECT_EQ(integer, 25u);
  EXPECT_EQ(floating, 19u);
  EXPECT_TRUE(ops_of(data_type::u8).empty());
  EXPECT_EQ(plain(atomic_op::swap), atomic_op::set);
  EXPECT_EQ(plain(atomic_op::get), atomic_op::get);
  EXPECT_EQ(operands_of(atomic_op::fetch_cas), 2u);
  EXPECT_EQ(operands_of(atomic_op::fetch_inc), 0u);
}

TEST(atomic_domain, is_made_only_for_operations_that_its_type_has) {
  support::run_job(1, [](runtime& job) {
    const auto refused = [&](data_type type, atomic_ops ops) {
      try {
        const atomic_domain made(job.world(), type, ops);
      } catch (const error& why) {
        return std::string(why.what());
      }
      return std::string();
    };
    EXPECT_EQ(refused(data_type::f64, atomic_op::add | atomic_op::get), "");
    EXPECT_NE(refused(data_type::f64, atomic_op::add | atomic_op::bit_or).find("has no bit_or"),
              std::string::npos);
    EXPECT_NE(refused(data_type::i16, atomic_op::add).find("has no add"), std::string::npos);
    EXPECT_NE(refused(data_type::i32, {}).find("no operation"), std::string::npos);
  });
}

// Inline code leaves a small number in the last bytes of a part to the library, which finds it
// mapped.
TEST(atomic, on_the_last_bytes_of_a_mapped_part_asks_nothing_of_its_owner) {
  support::run_job(2, [](runtime& job) {
    constexpr std::size_t bytes = 60;
    auto* const block = static_cast<std::byte*>(job.heap().allocate(bytes));
    std::memset(block, 0, bytes);
    segment shared(job);
    shared.share({block, bytes});
    const std::size_t last = bytes - sizeof(std::int32_t);
    if (job.rank() == 0) {
      auto* const number = reinterpret_cast<std::int32_t*>(shared.part(1).base + last);
      std::int32_t old_value = -1;
      event done;
      EXPECT_TRUE(atomic_nb(shared, 1, number, {.op = atomic_op::fetch_add, .operand = 7},
                            &old_value, done));
      EXPECT_TRUE(done.empty());
      job.wait(done);
      EXPECT_EQ(old_value, 0);
      EXPECT_TRUE(
          atomic_nbi(shared, 1, number, {.op = atomic_op::fetch_add, .operand = 1}, &old_value));
      EXPECT_EQ(old_value, 7);
      job.wait_implicit(false, false, true);
    }
    job.world().barrier();
    std::int32_t number = 0;
    std::memcpy(&number, block + last, sizeof number);
    EXPECT_EQ(number, job.rank() == 0 ? 0 : 8);
    job.heap().free(block);
  });
}

}  // namespace
}  // namespace atl
