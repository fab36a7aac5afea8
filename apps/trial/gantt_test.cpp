// SPDX-License-Identifier: BSD-3-Clause
//
// A picture of a schedule says what it shows: its title, its ranks, an axis of time, the meanings
// of its colours and the names of tiles stand on it, letter by letter.
#include <apps/trial/canvas.hpp>
#include <apps/trial/gantt.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using trial::colour;
using trial::image;
using trial::work_colour;

constexpr std::int64_t ms = 1'000'000;
constexpr colour ink{24, 22, 40};
constexpr colour white{255, 255, 255};
constexpr colour yellow{252, 230, 90};
constexpr colour violet{120, 60, 150};

colour colour_of(const image& picture, int x, int y) {
  const auto* const first = picture.bytes.data() + (std::ptrdiff_t{y} * picture.width + x) * 3;
  return {first[0], first[1], first[2]};
}

// Whether these letters stand somewhere on the picture, on this background.
bool says(const image& picture, std::string_view text, int scale, colour paint, colour background) {
  const int width = trial::canvas::text_width(text, scale);
  const int height = trial::canvas::text_height(scale);
  trial::canvas wanted(width, height, background);
  wanted.write({0, 0, scale}, text, paint);
  const image& letters = wanted.picture();
  const auto begins_in = [&](int x, int y) {
    for (int row = 0; row < height; ++row) {
      const auto first = letters.bytes.begin() + std::ptrdiff_t{row} * width * 3;
      const auto drawn = picture.bytes.begin() + (std::ptrdiff_t{y + row} * picture.width + x) * 3;
      if (!std::equal(first, first + std::ptrdiff_t{width} * 3, drawn)) return false;
    }
    return true;
  };
  for (int y = 0; y + height <= picture.height; ++y)
    for (int x = 0; x + width <= picture.width; ++x)
      if (begins_in(x, y)) return true;
  return false;
}

trial::schedule sample() {
  return {.title = "cholesky, steps",
          .kinds = {{"factors", work_colour::yellow}, {"updates a tile", work_colour::violet}},
          .of_ranks = {{{5 * ms, 15 * ms, 0, {3, 2}}, {15 * ms, 16 * ms, 1, {1234, 5678}}},
                       {{25 * ms, 45 * ms, 1, {7}}}}};
}

TEST(gantt, names_ranks_times_and_colours) {
  const image picture = trial::picture_of(sample());
  for (const char* text : {"cholesky, steps", "rank 0", "rank 1", "0 ms", "5 ms", "10 ms", "40 ms",
                           "factors", "updates a tile", "nothing recorded"}) {
    EXPECT_TRUE(says(picture, text, 2, ink, white)) << text;
  }
  EXPECT_FALSE(says(picture, "45 ms", 2, ink, white)) << "no tick";
  EXPECT_FALSE(says(picture, "rank 2", 2, ink, white));
}

TEST(gantt, names_parts_where_there_is_room) {
  const image picture = trial::picture_of(sample());
  EXPECT_TRUE(says(picture, "3,2", 1, ink, yellow));
  EXPECT_TRUE(says(picture, "7", 1, white, violet));
  EXPECT_FALSE(says(picture, "1234,5678", 1, white, violet)) << "wider than its work";
  trial::schedule narrow = sample();
  narrow.of_ranks[0][1].part = {4, 1};
  narrow.of_ranks[0][1].end_ns = narrow.of_ranks[0][1].begin_ns + ms / 2;  // 15 points
  const image upright = trial::picture_of(narrow);
  EXPECT_FALSE(says(upright, "4,1", 1, white, violet));
  EXPECT_TRUE(says(upright, "4", 1, white, violet)) << "letters below each other";
}

TEST(gantt, shows_each_kind_in_its_colour_and_its_time) {
  const image picture = trial::picture_of(sample());
  const int left = 8 + trial::canvas::text_width("rank 1 ", 2);
  const int top = 2 * 8 + 18;
  const int second = top + 40 + 8;
  EXPECT_EQ(colour_of(picture, left + 10, top + 2), yellow);
  EXPECT_EQ(colour_of(picture, left + 290, top + 2), yellow) << "10 of 40 ms are 300 points";
  EXPECT_EQ(colour_of(picture, left + 310, top + 2), violet);
  EXPECT_EQ(colour_of(picture, left + 400, top + 2), ink) << "idle";
  EXPECT_EQ(colour_of(picture, left + 590, second + 2), ink);
  EXPECT_EQ(colour_of(picture, left + 610, second + 2), violet);
}

/// The second of three ranks. The first has recorded the same, and the third one span more.
class one_of_three final : public trial::group {
 public:
  unsigned rank() const override { return 1; }
  unsigned size() const override { return 3; }
  void barrier() override {}
  void add(std::span<double> numbers) override {
    const auto share = static_cast<std::ptrdiff_t>(numbers.size() / 3);
    const auto own = numbers.begin() + share;
    std::copy(own, own + share, numbers.begin());
    std::copy(own, own + share, own + share);
    std::copy(own, own + 5, numbers.end() - 5);
  }
  double greatest(double number) override { return number + 1; }
  void broadcast(std::span<double>) override {}
};

TEST(gantt, has_the_spans_of_all_ranks) {
  one_of_three ranks;
  const std::vector<trial::span> own{{5 * ms, 15 * ms, 0, {3, 2}}, {16 * ms, 17 * ms, 1, {}}};
  const auto found = trial::spans_of_all(ranks, own);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].size(), 2U);
  ASSERT_EQ(found[1].size(), 2U);
  EXPECT_EQ(found[1][0].begin_ns, 5 * ms);
  EXPECT_EQ(found[1][0].end_ns, 15 * ms);
  EXPECT_EQ(found[1][0].part.column, 2U);
  EXPECT_EQ(found[1][1].kind, 1);
  EXPECT_EQ(found[1][1].part.row, trial::part_name::unnamed);
  ASSERT_EQ(found[2].size(), 3U);
  EXPECT_EQ(found[2][2].end_ns, 15 * ms);
}

TEST(gantt, has_an_axis_for_any_length_of_time) {
  for (const auto& [length_ns, text] : {std::pair{std::int64_t{3}, "2 ns"},
                                        {std::int64_t{40'000}, "20 us"},
                                        {9'000'000'000, "8 s"}}) {
    const trial::schedule short_or_long{.title = "",
                                        .kinds = {{"works", work_colour::orange}},
                                        .of_ranks = {{{0, length_ns, 0, {}}}}};
    EXPECT_TRUE(says(trial::picture_of(short_or_long), text, 2, ink, white)) << text;
  }
}

}  // namespace
