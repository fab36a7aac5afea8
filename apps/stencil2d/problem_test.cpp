// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the checks: the right field passes, and fields that are slightly wrong do not.
#include <apps/stencil2d/comparison.hpp>
#include <apps/stencil2d/image.hpp>
#include <apps/stencil2d/options.hpp>
#include <apps/stencil2d/problem.hpp>
#include <atoll/base/error.hpp>

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace stencil2d {
namespace {

constexpr extent domain = {20, 14};
constexpr rect everything = {0, 0, domain.x, domain.y};

std::vector<double> first_field() {
  std::vector<double> values;
  for (int y = 0; y < domain.y; ++y)
    for (int x = 0; x < domain.x; ++x) values.push_back(initial_heat(domain, x, y));
  return values;
}

amplitudes amplitudes_of(const std::vector<double>& field) {
  return stencil2d::amplitudes_of(everything, domain, field.data(), domain.x);
}

// One step, implemented independently.
std::vector<double> stepped(const std::vector<double>& field, const weight_table& table) {
  std::vector<double> next;
  for (int y = 0; y < domain.y; ++y) {
    for (int x = 0; x < domain.x; ++x) {
      double sum = 0;
      const double* weight = table.weights;
      for (int dy = -table.radius; dy <= table.radius; ++dy)
        for (int dx = -table.radius; dx <= table.radius; ++dx)
          sum += *weight++ *
                 field[(y + dy + domain.y) % domain.y * domain.x + (x + dx + domain.x) % domain.x];
      next.push_back(sum);
    }
  }
  return next;
}

TEST(heat_weights, sum_up_to_one_and_are_symmetric) {
  for (const int radius : {1, 2, 3, 4, 9, 16}) {
    const std::vector<double> weights = heat_weights(radius);
    ASSERT_EQ(weights.size(), static_cast<std::size_t>((2 * radius + 1) * (2 * radius + 1)));
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-14);
    EXPECT_EQ(weights, std::vector<double>(weights.rbegin(), weights.rend()));
  }
}

TEST(amplitudes, change_by_the_factors_that_are_known_also_with_weights_that_drift) {
  std::vector<double> weights = heat_weights(2);
  weights[3] += 0.05;
  weights[20] -= 0.05;
  const weight_table table{weights.data(), 2};
  const std::vector<double> initial = first_field();
  std::vector<double> now = initial;
  for (int step = 0; step < 5; ++step) now = stepped(now, table);
  EXPECT_LE(amplitude_error(amplitudes_of(initial), amplitudes_of(now), domain, table, 5),
            amplitude_error_max(5));
  EXPECT_GT(amplitude_error(amplitudes_of(initial), amplitudes_of(now), domain, table, 4),
            amplitude_error_max(4));
  now[17] += 1e-9;
  EXPECT_GT(amplitude_error(amplitudes_of(initial), amplitudes_of(now), domain, table, 5),
            amplitude_error_max(5));
}

TEST(bits, do_not_depend_on_the_division_and_tell_of_any_change) {
  std::vector<double> field = first_field();
  const std::uint64_t total = bits_of(everything, domain, field.data(), domain.x);
  const rect left{0, 0, 7, domain.y};
  const rect right{7, 0, domain.x, domain.y};
  EXPECT_EQ(bits_of(left, domain, field.data(), domain.x) +
                bits_of(right, domain, field.data() + 7, domain.x),
            total);
  std::swap(field[3], field[4]);
  EXPECT_NE(bits_of(everything, domain, field.data(), domain.x), total);
}

TEST(reference, has_the_bits_of_steps_by_hand) {
  const std::vector<double> weights = heat_weights(1);
  const weight_table table{weights.data(), 1};
  const kernel plain{"plain", false, nullptr};
  const std::vector<double> now = stepped(stepped(first_field(), table), table);
  EXPECT_EQ(reference_bits(domain, table, 2, plain),
            bits_of(everything, domain, now.data(), domain.x));
}

TEST(spread, is_the_median_and_the_median_deviation) {
  EXPECT_EQ(spread_of({5, 1, 100}).median, 5);
  EXPECT_EQ(spread_of({5, 1, 100}).mad, 4);
  EXPECT_EQ(spread_of({1, 3}).median, 2);
  EXPECT_EQ(spread_of({}).median, 0);
}

int parsed(std::vector<std::string> words, options& into) {
  words.insert(words.begin(), "stencil2d");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return parse(static_cast<int>(argv.size()), argv.data(), {"stencil2d", {"put", "get"}}, false,
               into)
      .value_or(-1);
}

TEST(options, are_read_and_mistakes_are_refused) {
  options chosen;
  EXPECT_EQ(parsed({"-n", "64x32", "-r", "3", "--variants", "get,put", "--series", "weak"}, chosen),
            -1);
  EXPECT_EQ(chosen.size, (extent{64, 32}));
  EXPECT_EQ(chosen.variants, (std::vector<std::string>{"get", "put"}));
  EXPECT_EQ(chosen.growing, series::weak);
  for (const auto& wrong : std::vector<std::vector<std::string>>{{"-n", "0"},
                                                                 {"-r", "17"},
                                                                 {"--variants", "elegent"},
                                                                 {"--series", "odd"},
                                                                 {"--png", "folder"},
                                                                 {"stray"}})
    EXPECT_EQ(parsed(wrong, chosen), 2) << wrong.front();
  EXPECT_EQ(parsed({"--help"}, chosen), 0);
}

TEST(setting, grows_as_the_series_says) {
  options chosen{.size = {10, 10}, .growing = series::strong};
  EXPECT_EQ(setting_for(chosen, 0, 2, 6).domain.points, (extent{20, 30}));
  EXPECT_EQ(setting_for(chosen, 0, 6, 6).domain.points, (extent{20, 30}));
  chosen.growing = series::weak;
  EXPECT_EQ(setting_for(chosen, 0, 2, 6).domain.points, (extent{10, 20}));
  EXPECT_EQ(counts_for(chosen, 6), (std::vector<unsigned>{1, 2, 4, 6}));
}

TEST(setting, refuses_a_topology_that_is_not_for_these_ranks) {
  options chosen{.topology = {2, 2}};
  EXPECT_THROW(setting_for(chosen, 0, 6, 6), atl::error);
  EXPECT_NO_THROW(setting_for(chosen, 0, 4, 4));
}

TEST(colours, grow_lighter_with_the_value) {
  int previous = -1;
  for (int i = 0; i <= 20; ++i) {
    const colour now = colour_of(i / 20.0);
    const int light = 2126 * now[0] + 7152 * now[1] + 722 * now[2];
    EXPECT_GT(light, previous);
    previous = light;
  }
}

extent size_of(const image& picture) { return {picture.width, picture.height}; }

TEST(picture, shows_small_fields_enlarged_and_large_ones_averaged) {
  const image small = paint(std::vector<double>(12, 0.5), {4, 3});
  EXPECT_EQ(size_of(small), (extent{384, 288}));
  EXPECT_EQ(small.bytes.size(), 3U * 384 * 288);
  EXPECT_EQ(size_of(paint(std::vector<double>(2050 * 5), {2050, 5})), (extent{684, 2}));
  EXPECT_EQ(size_of(side_by_side({small, small})), (extent{804, 312}));
}

}  // namespace
}  // namespace stencil2d
