// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the verdict, with variants on one rank of which some are wrong on purpose.
#include <apps/stencil2d/comparison.hpp>
#include <apps/stencil2d/field_pair.hpp>
#include <apps/stencil2d/options.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace stencil2d {
namespace {

/// Refreshes the halo in these directions only.
class partial final : public variant {
 public:
  partial(const setting& given, std::string_view name, unsigned refreshed)
      : given_(given), name_(name), refreshed_(refreshed), fields_(given.local.elements) {}

  std::string_view name() const override { return name_; }
  double* field() override { return fields_.now(); }
  void run(unsigned steps) override {
    for (unsigned step = 0; step < steps; ++step) {
      for (std::size_t d = 0; d < directions.size(); ++d)
        if (refreshed_ >> d & 1) wrap(d);
      given_.apply(fields_.now(), fields_.next(), given_.local.bounds());
      fields_.swap();
    }
  }

 private:
  void wrap(std::size_t direction) {
    const rect from = given_.local.border(direction);
    const rect to = given_.local.halo(opposite(direction));
    for (int y = 0; y < from.height(); ++y) {
      std::copy_n(fields_.now() + given_.local.offset(from.x0, from.y0 + y), from.width(),
                  fields_.now() + given_.local.offset(to.x0, to.y0 + y));
    }
  }

  const setting& given_;
  std::string_view name_;
  unsigned refreshed_;
  field_pair fields_;
};

/// One rank alone.
class alone final : public rank_group {
 public:
  unsigned rank() const override { return 0; }
  unsigned size() const override { return 1; }
  void barrier() override {}
  void add(std::span<double>) override {}
  void add(std::uint64_t&) override {}
  std::vector<std::unique_ptr<variant>> variants(const setting& given,
                                                 const std::vector<std::string>&) override {
    std::vector<std::unique_ptr<variant>> result;
    result.push_back(std::make_unique<partial>(given, "whole", 0xff));
    result.push_back(std::make_unique<partial>(given, "no_corner", 0xfe));
    result.push_back(std::make_unique<partial>(given, "whole_again", 0xff));
    return result;
  }
};

// Sizes on both sides of where the reference is computed.
TEST(comparison, finds_out_who_leaves_a_corner_with_and_without_a_reference) {
  for (const extent size : {extent{24, 17}, extent{900, 700}}) {
    const options chosen{.size = size, .steps = 3};
    const setting given = setting_for(chosen, 0, 1, 1);
    alone rank;
    const outcome result = compare_variants(rank, given, {}, 2);
    EXPECT_EQ(result.has_reference, size.x == 24);
    EXPECT_FALSE(result.right);
    ASSERT_EQ(result.figures.size(), 3U);
    EXPECT_TRUE(result.figures[0].right);
    EXPECT_FALSE(result.figures[1].right);
    EXPECT_TRUE(result.figures[2].right);
    EXPECT_EQ(result.figures[0].bits, result.figures[2].bits);
    EXPECT_GT(result.fastest().points_per_s, 0);
  }
}

}  // namespace
}  // namespace stencil2d
