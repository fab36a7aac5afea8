// SPDX-License-Identifier: BSD-3-Clause
//
// A picture in memory with rectangles and short texts. The letters are small bitmaps of our own, so
// a picture needs no font and no library that draws; there are lower-case letters, digits and a few
// signs, and any other character is a blank. Points outside of the picture are not drawn.
#pragma once

#include <apps/trial/png_file.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace trial {

using colour = std::array<std::uint8_t, 3>;  // red, green, blue

/// In points.
struct rectangle {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

/// The upper left corner of a text, and the points of each side of a point of its letters.
struct text_place {
  int x = 0;
  int y = 0;
  int scale = 1;
};

class canvas {
 public:
  canvas(int width, int height, colour background);

  void fill(const rectangle& area, colour paint);
  void write(const text_place& where, std::string_view text, colour paint);

  static int text_width(std::string_view text, int scale);
  static int text_height(int scale);

  const image& picture() const { return picture_; }

 private:
  image picture_;
};

}  // namespace trial
