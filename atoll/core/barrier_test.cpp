// SPDX-License-Identifier: BSD-3-Clause
//
// Tags combine in any order and any number of times to the same result, which is what lets every
// barrier algorithm combine them its own way.
#include <atoll/core/barrier.hpp>

#include <gtest/gtest.h>

#include <array>

namespace atl {
namespace {

constexpr std::array all{barrier_tag::anonymous(), barrier_tag::named(0), barrier_tag::named(7),
                         barrier_tag::named(~0u), barrier_tag::mismatch()};

TEST(barrier_tag, combination_is_commutative_associative_and_idempotent) {
  for (const barrier_tag a : all) {
    EXPECT_EQ(combine(a, a), a);
    for (const barrier_tag b : all) {
      EXPECT_EQ(combine(a, b), combine(b, a));
      for (const barrier_tag c : all) {
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

}  // namespace
}  // namespace atl
