// SPDX-License-Identifier: BSD-3-Clause
//
// Draws schedules. The picture is meant for one host, whose ranks have one clock. A column of
// points shows the kind of work that took most of its time, so that short pieces do not vanish by
// chance.
#include <apps/trial/gantt.hpp>
#include <apps/trial/png_file.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <array>

namespace trial {
namespace {

constexpr int width = 1200;
constexpr int bar = 40;
constexpr int gap = 8;
constexpr std::array<std::array<std::uint8_t, 3>, 4> colours{
    {{252, 230, 90}, {240, 120, 60}, {120, 60, 150}, {24, 22, 40}}};
constexpr std::size_t idle = 3;

struct window {
  std::int64_t begin_ns;
  std::int64_t end_ns;
};

window window_of(const std::vector<std::vector<span>>& of_ranks) {
  window time{INT64_MAX, INT64_MIN};
  for (const auto& spans : of_ranks) {
    for (const span& each : spans) {
      time.begin_ns = std::min(time.begin_ns, each.begin_ns);
      time.end_ns = std::max(time.end_ns, each.end_ns);
    }
  }
  return time;
}

// The index of the colour of each column of points.
std::vector<std::size_t> columns_of(const std::vector<span>& spans, const window& time) {
  const double column_ns = static_cast<double>(time.end_ns - time.begin_ns) / width;
  std::vector<std::array<double, 4>> shares(width, {0, 0, 0, 0});
  for (auto& each : shares) each[idle] = column_ns;
  for (const span& each : spans) {
    const auto begin = static_cast<double>(each.begin_ns - time.begin_ns);
    const auto end = static_cast<double>(each.end_ns - time.begin_ns);
    for (auto x = static_cast<std::size_t>(begin / column_ns); x < width; ++x) {
      const double left = static_cast<double>(x) * column_ns;
      const double covered = std::min(end, left + column_ns) - std::max(begin, left);
      if (covered <= 0 && left > end) break;
      shares[x][static_cast<std::size_t>(each.kind)] += std::max(covered, 0.0);
      shares[x][idle] -= std::max(covered, 0.0);
    }
  }
  std::vector<std::size_t> found;
  for (const auto& each : shares) {
    found.push_back(
        static_cast<std::size_t>(std::max_element(each.begin(), each.end()) - each.begin()));
  }
  return found;
}

void paint(image& picture, int y, std::size_t x, std::size_t colour) {
  const std::size_t first = (static_cast<std::size_t>(y) * width + x) * 3;
  std::copy(colours[colour].begin(), colours[colour].end(),
            picture.bytes.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

void draw_schedule(const std::string& path, std::string_view variant,
                   const std::vector<std::vector<span>>& of_ranks) {
  if (!can_write_png()) {
    throw atl::error("--png " + path, "this program was built without libpng",
                     "install libpng-dev and build again");
  }
  if (std::ranges::all_of(of_ranks, &std::vector<span>::empty)) {
    throw atl::error("--png " + path, atl::text("the variant ", variant, " records no schedule"),
                     "name another first");
  }
  const int height = static_cast<int>(of_ranks.size()) * (bar + gap) + gap;
  image picture{width, height, {}};
  picture.bytes.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3, 255);
  const window time = window_of(of_ranks);
  for (std::size_t rank = 0; rank < of_ranks.size(); ++rank) {
    const std::vector<std::size_t> columns = columns_of(of_ranks[rank], time);
    const int top = gap + static_cast<int>(rank) * (bar + gap);
    for (int y = top; y < top + bar; ++y)
      for (std::size_t x = 0; x < columns.size(); ++x) paint(picture, y, x, columns[x]);
  }
  const std::string reason = write_png(path, picture);
  if (!reason.empty()) {
    throw atl::error("--png " + path, "the file was not written: " + reason,
                     "name a file in a folder that exists and may be written");
  }
}

}  // namespace trial
