// SPDX-License-Identifier: BSD-3-Clause
//
// The numbers of fronts do not depend on the order of their declarations; what does not fit is
// refused.
#include <atoll/core/job/front_table.hpp>

#include <atoll/base/error.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace atl {
namespace {

constexpr front_declaration models{.name = "models", .endpoints = 1};
constexpr front_declaration many{.name = "many endpoints", .endpoints = 64};
constexpr front_declaration silent{.name = "silent"};

TEST(front_table, numbers_fronts_by_their_names_in_whatever_order_they_are_declared) {
  const std::array one{&silent, &many, &models};
  const std::array other{&models, &silent, &many};
  const front_table first(one), second(other);
  EXPECT_EQ(first.digest(), second.digest());
  for (const front_declaration* each : one) {
    EXPECT_EQ(first.place_of(*each).number, second.place_of(*each).number);
    EXPECT_EQ(first.place_of(*each).first_endpoint, second.place_of(*each).first_endpoint);
  }
  EXPECT_EQ(first.place_of(many).number, 0u);
  EXPECT_EQ(first.place_of(many).first_endpoint, front_table::first_endpoint);
  EXPECT_EQ(first.place_of(models).number, 1u);
  EXPECT_EQ(first.place_of(models).first_endpoint, front_table::first_endpoint + 64);
  EXPECT_EQ(first.place_of(silent).number, 2u);
}

TEST(front_table, another_list_of_fronts_has_another_digest) {
  constexpr front_declaration more{.name = "models", .endpoints = 2};
  const std::array all{&many, &models};
  const std::array fewer{&many};
  const std::array changed{&many, &more};
  EXPECT_NE(front_table(all).digest(), front_table(fewer).digest());
  EXPECT_NE(front_table(all).digest(), front_table(changed).digest());
}

TEST(front_table, refuses_what_has_no_room_and_names_it) {
  constexpr front_declaration again{.name = "models"};
  constexpr front_declaration greedy{.name = "greedy", .endpoints = 95};
  const std::array twice{&models, &silent, &again};
  const std::array fits{&greedy, &silent};
  const std::array too_much{&greedy, &models};
  EXPECT_THROW(front_table{twice}, error);
  EXPECT_NO_THROW(front_table{fits});
  EXPECT_THROW(front_table{too_much}, error);
  std::vector<std::string> names;
  for (std::size_t i = 0; i <= front_table::fronts_max; ++i)
    names.push_back(std::string(i + 1, 'f'));
  std::vector<front_declaration> crowd;
  for (const std::string& name : names) crowd.push_back({.name = name});
  std::vector<const front_declaration*> rows;
  for (const front_declaration& each : crowd) rows.push_back(&each);
  EXPECT_THROW(front_table{rows}, error);
  rows.pop_back();
  EXPECT_NO_THROW(front_table{rows});
  try {
    front_table(fits).place_of(models);
    FAIL();
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find("front 'models'"), std::string::npos);
  }
}

}  // namespace
}  // namespace atl
