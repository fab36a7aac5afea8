// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the division of the domain: every point has one owner, a rank sends what its neighbour
// expects, and a cut block is computed once, each piece after the halos that it reads.
#include <apps/stencil2d/shape.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace stencil2d {
namespace {

const layout uneven{.points = {23, 17}, .ranks = {3, 2}, .radius = 2};

TEST(layout, gives_every_point_to_one_rank) {
  std::vector<int> owners(23 * 17);
  for (unsigned rank = 0; rank < 6; ++rank) {
    const rect part = uneven.part_of(rank);
    for (int y = part.y0; y < part.y1; ++y)
      for (int x = part.x0; x < part.x1; ++x) ++owners[static_cast<std::size_t>(y * 23 + x)];
  }
  EXPECT_EQ(owners, std::vector<int>(23 * 17, 1));
}

TEST(layout, makes_a_border_as_large_as_the_halo_that_it_fills) {
  for (unsigned rank = 0; rank < 6; ++rank) {
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const unsigned peer = uneven.neighbour(rank, d);
      EXPECT_EQ(uneven.neighbour(peer, opposite(d)), rank);
      const rect border = uneven.block_of(rank).border(d);
      const rect halo = uneven.block_of(peer).halo(opposite(d));
      EXPECT_EQ(border.width(), halo.width());
      EXPECT_EQ(border.height(), halo.height());
    }
  }
}

TEST(layout, lets_all_blocks_lie_in_memory_alike_and_rows_begin_with_a_cache_line) {
  const block first = uneven.block_of(0);
  const block last = uneven.block_of(5);
  EXPECT_NE(first.size, last.size);
  EXPECT_EQ(first.pitch, last.pitch);
  EXPECT_EQ(first.origin, last.origin);
  EXPECT_EQ(first.elements, last.elements);
  EXPECT_EQ(first.offset(0, 3) % 8, 0);
  EXPECT_GE(first.offset(-2, -2), 0);
  const auto end = static_cast<std::size_t>(first.offset(first.size.x + 1, first.size.y + 1));
  EXPECT_LT(end, first.elements);
}

TEST(layout, fits_while_every_block_has_a_halo_s_width) {
  EXPECT_TRUE((layout{.points = {12, 12}, .ranks = {3, 3}, .radius = 4}.fits()));
  EXPECT_FALSE((layout{.points = {12, 11}, .ranks = {3, 3}, .radius = 4}.fits()));
  EXPECT_EQ(nearest_to_square(6), (extent{2, 3}));
  EXPECT_EQ(nearest_to_square(7), (extent{1, 7}));
}

// Every own point is in the inner region or in one piece, and in the inner region or in one side.
void expect_covered_once(const block& shape, const cut_block& parts) {
  std::vector<int> by_pieces(shape.elements);
  std::vector<int> by_sides(shape.elements);
  const auto count = [&](std::vector<int>& into, const rect& region) {
    for (int y = region.y0; y < region.y1; ++y)
      for (int x = region.x0; x < region.x1; ++x)
        ++into[static_cast<std::size_t>(shape.offset(x, y))];
  };
  std::vector<int> expected(shape.elements);
  count(expected, shape.bounds());
  count(by_pieces, parts.inner);
  count(by_sides, parts.inner);
  for (const cut_block::piece& each : parts.pieces) count(by_pieces, each.region);
  for (const rect& each : parts.sides) count(by_sides, each);
  EXPECT_EQ(by_pieces, expected);
  EXPECT_EQ(by_sides, expected);
}

// Whether these points read only the halos in `needs`, in dimensions with several ranks.
bool reads_only(const block& shape, const rect& region, unsigned needs, extent ranks) {
  for (std::size_t d = 0; d < directions.size(); ++d) {
    if (needs >> d & 1) continue;
    const extent to = directions[d];
    const bool own = (to.x == 0 || ranks.x == 1) && (to.y == 0 || ranks.y == 1);
    const rect halo = shape.halo(d);
    const int r = shape.radius;
    const bool apart = region.x1 + r <= halo.x0 || halo.x1 <= region.x0 - r ||
                       region.y1 + r <= halo.y0 || halo.y1 <= region.y0 - r;
    if (!apart && !own) return false;
  }
  return true;
}

TEST(cut, covers_the_block_once_and_names_what_each_piece_reads) {
  for (const extent ranks : {extent{1, 1}, extent{1, 2}, extent{2, 1}, extent{2, 2}}) {
    for (const extent size :
         {extent{3, 3}, extent{7, 40}, extent{40, 7}, extent{16, 16}, extent{61, 33}}) {
      for (const int radius : {1, 2, 3}) {
        const extent points{size.x * ranks.x, size.y * ranks.y};
        const block shape = layout{points, ranks, radius}.block_of(0);
        const cut_block parts = cut(shape, ranks);
        expect_covered_once(shape, parts);
        EXPECT_TRUE(parts.inner.empty() || reads_only(shape, parts.inner, 0, ranks));
        for (const cut_block::piece& each : parts.pieces)
          EXPECT_TRUE(reads_only(shape, each.region, each.needs, ranks));
      }
    }
  }
}

TEST(extent, is_read_from_text) {
  extent read;
  EXPECT_TRUE(parse_extent("12x7", read));
  EXPECT_EQ(read, (extent{12, 7}));
  EXPECT_TRUE(parse_extent("5", read));
  EXPECT_EQ(text_of(read), "5x5");
  for (const char* wrong : {"", "x", "3x", "x3", "0", "-2", "3x0", "3x4x5", "3 x4", "9999999"})
    EXPECT_FALSE(parse_extent(wrong, read)) << wrong;
}

}  // namespace
}  // namespace stencil2d
