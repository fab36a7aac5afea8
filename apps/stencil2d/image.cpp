// SPDX-License-Identifier: BSD-3-Clause
//
// Makes pictures. Colours run along a curve in the colour space OKLab, in which equal steps look
// equal: lightness grows linearly, the hue goes from blue through red to yellow, and the saturation
// is highest in the middle.
#include <apps/stencil2d/image.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stencil2d {
namespace {

constexpr int side_max = 1024;  // pixels; larger fields are averaged
constexpr int side_min = 384;   // smaller ones are enlarged
constexpr int gap = 12;         // between pictures

// One channel of linear light as a byte of sRGB.
std::uint8_t channel(double light) noexcept {
  const double x = std::clamp(light, 0.0, 1.0);
  const double value = x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * value));
}

double cube(double x) noexcept { return x * x * x; }

colour from_oklab(double lightness, double a, double b) noexcept {
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

std::vector<colour> make_colours() {
  std::vector<colour> colours;
  for (int i = 0; i < 1024; ++i) colours.push_back(colour_of(i / 1023.0));
  return colours;
}

// The mean of `side` x `side` points, or of fewer at the right and lower edges.
double average(std::span<const double> field, extent size, extent first, int side) {
  double sum = 0;
  int count = 0;
  for (int y = first.y; y < std::min(first.y + side, size.y); ++y) {
    for (int x = first.x; x < std::min(first.x + side, size.x); ++x, ++count)
      sum += field[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.x) +
                   static_cast<std::size_t>(x)];
  }
  return sum / count;
}

image blank(extent size, colour background) {
  image made{.width = size.x, .height = size.y, .bytes = {}};
  const int pixels = size.x * size.y;
  for (int i = 0; i < pixels; ++i)
    made.bytes.insert(made.bytes.end(), background.begin(), background.end());
  return made;
}

std::size_t place(const image& in, int x, int y) {
  return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(in.width) +
              static_cast<std::size_t>(x));
}

}  // namespace

colour colour_of(double value) noexcept {
  const double t = std::clamp(value, 0.0, 1.0);
  const double hue = (255 + 215 * t) * std::numbers::pi / 180;
  const double chroma = 0.045 + 0.15 * std::sin(std::numbers::pi * std::pow(t, 0.85));
  return from_oklab(0.16 + 0.8 * t, chroma * std::cos(hue), chroma * std::sin(hue));
}

image paint(std::span<const double> field, extent size) {
  static const std::vector<colour> colours = make_colours();
  const int longest = std::max(size.x, size.y);
  const int shrink = (longest + side_max - 1) / side_max;
  const int grow = longest >= side_min ? 1 : (side_min + longest - 1) / longest;
  const extent cells{(size.x + shrink - 1) / shrink, (size.y + shrink - 1) / shrink};
  image made{.width = cells.x * grow, .height = cells.y * grow, .bytes = {}};
  made.bytes.resize(place(made, 0, made.height));
  for (int y = 0; y < made.height; ++y) {
    for (int x = 0; x < made.width; ++x) {
      const double value = average(field, size, {x / grow * shrink, y / grow * shrink}, shrink);
      const double lifted = std::sqrt(std::clamp(value, 0.0, 1.0));
      const colour& chosen = colours[static_cast<std::size_t>(std::lround(1023 * lifted))];
      std::copy(chosen.begin(), chosen.end(), made.bytes.data() + place(made, x, y));
    }
  }
  return made;
}

image side_by_side(const std::vector<image>& pictures) {
  const extent each{pictures.front().width, pictures.front().height};
  const int count = static_cast<int>(pictures.size());
  image made = blank({gap + count * (each.x + gap), each.y + 2 * gap}, colour_of(0.02));
  for (int i = 0; i < count; ++i) {
    for (int y = 0; y < each.y; ++y) {
      const std::uint8_t* const row = pictures[static_cast<std::size_t>(i)].bytes.data() +
                                      place(pictures[static_cast<std::size_t>(i)], 0, y);
      std::copy_n(row, 3 * each.x,
                  made.bytes.data() + place(made, gap + i * (each.x + gap), gap + y));
    }
  }
  return made;
}

}  // namespace stencil2d
