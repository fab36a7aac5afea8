// SPDX-License-Identifier: BSD-3-Clause
//
// Draws schedules. The picture is meant for one host, whose ranks have one clock. A column of
// points shows the kind of work that took most of its time, so that short pieces do not vanish by
// chance.
#include <apps/trial/canvas.hpp>
#include <apps/trial/gantt.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace trial {
namespace {

constexpr int width = 1200;  // of the bars
constexpr int bar = 40;
constexpr int gap = 8;
constexpr int text_scale = 2;  // of all texts but the names on bars
constexpr int tick = 6;
constexpr double ticks_most = 8;
constexpr colour white{255, 255, 255};
constexpr colour ink{24, 22, 40};
constexpr std::array<colour, 3> colours{{{252, 230, 90}, {240, 120, 60}, {120, 60, 150}}};
constexpr std::array<colour, 3> name_colours{ink, ink, white};

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

// The kind of work in each column of points; the number of kinds where nothing was recorded.
std::vector<std::size_t> columns_of(const std::vector<span>& spans, const window& time,
                                    std::size_t kinds) {
  const double column_ns = static_cast<double>(time.end_ns - time.begin_ns) / width;
  const std::size_t idle = kinds;
  std::vector<std::vector<double>> shares(width, std::vector<double>(kinds + 1));
  for (auto& each : shares) each[idle] = column_ns;
  for (const span& each : spans) {
    const auto begin = static_cast<double>(each.begin_ns - time.begin_ns);
    const auto end = static_cast<double>(each.end_ns - time.begin_ns);
    for (auto x = static_cast<std::size_t>(begin / column_ns); x < width; ++x) {
      const double left = static_cast<double>(x) * column_ns;
      const double covered = std::min(end, left + column_ns) - std::max(begin, left);
      if (covered <= 0 && left > end) break;
      shares[x][each.kind] += std::max(covered, 0.0);
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

std::string name_of(const part_name& part) {
  if (part.row == part_name::unnamed) return {};
  if (part.column == part_name::unnamed) return atl::text(part.row);
  return atl::text(part.row, ",", part.column);
}

/// A length of time and the unit in which it is read.
struct time_unit {
  double ns;
  std::string_view name;
};

time_unit unit_of(double step_ns) {
  if (step_ns >= 1e9) return {1e9, "s"};
  if (step_ns >= 1e6) return {1e6, "ms"};
  return step_ns >= 1e3 ? time_unit{1e3, "us"} : time_unit{1, "ns"};
}

/// The distance of ticks: 1, 2 or 5 of a power of ten.
double step_of(double length_ns) {
  const double least = std::max(length_ns / ticks_most, 1.0);
  const double decade = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= least) return factor * decade;
  return 10 * decade;
}

class schedule_painter {
 public:
  explicit schedule_painter(const schedule& recorded)
      : recorded_(recorded),
        time_(window_of(recorded.of_ranks)),
        left_(gap + canvas::text_width(rank_name(recorded.of_ranks.size() - 1), text_scale)),
        top_(2 * gap + line),
        bottom_(top_ + static_cast<int>(recorded.of_ranks.size()) * (bar + gap)),
        paper_(left_ + width + margin, bottom_ + tick + 2 * line + 4 * gap, white) {}

  image draw() {
    paper_.write({left_, gap, text_scale}, recorded_.title, ink);
    for (std::size_t rank = 0; rank < recorded_.of_ranks.size(); ++rank) draw_rank(rank);
    draw_axis();
    draw_meanings();
    return paper_.picture();
  }

 private:
  static constexpr int line = 18;    // a line of text
  static constexpr int margin = 60;  // right of the bars, for half of the last tick's text

  static std::string rank_name(std::size_t rank) { return atl::text("rank ", rank, " "); }

  int x_of(std::int64_t moment_ns) const {
    const auto whole = static_cast<double>(time_.end_ns - time_.begin_ns);
    const auto passed = static_cast<double>(moment_ns - time_.begin_ns);
    return left_ + static_cast<int>(passed / whole * width);
  }

  // Of a kind of work, and behind the kinds of no work.
  colour colour_of(std::size_t kind) const {
    if (kind == recorded_.kinds.size()) return ink;
    return colours[static_cast<std::size_t>(recorded_.kinds[kind].colour)];
  }

  void draw_rank(std::size_t rank) {
    const int y = top_ + static_cast<int>(rank) * (bar + gap);
    paper_.write({gap, y + (bar - line) / 2, text_scale}, rank_name(rank), ink);
    const std::vector<std::size_t> columns =
        columns_of(recorded_.of_ranks[rank], time_, recorded_.kinds.size());
    for (std::size_t x = 0; x < columns.size(); ++x)
      paper_.fill({left_ + static_cast<int>(x), y, 1, bar}, colour_of(columns[x]));
    for (const span& each : recorded_.of_ranks[rank]) draw_name(each, y);
  }

  // In a row where the work is wide enough, else one letter below the other, else not at all.
  void draw_name(const span& each, int y) {
    const std::string name = name_of(each.part);
    const int from = x_of(each.begin_ns);
    const int room = x_of(each.end_ns) - from;
    const colour paint = name_colours[static_cast<std::size_t>(recorded_.kinds[each.kind].colour)];
    const int height = canvas::text_height(1);
    const int length = static_cast<int>(name.size());
    const int row_width = canvas::text_width(name, 1);
    const int letter_width = canvas::text_width("0", 1);
    if (room > row_width) {
      paper_.write({from + (room - row_width + 1) / 2, y + (bar - height) / 2, 1}, name, paint);
    } else if (room > letter_width && length * height <= bar) {
      const int x = from + (room - letter_width + 1) / 2;
      const int first = y + (bar - length * height) / 2;
      for (int i = 0; i < length; ++i)
        paper_.write({x, first + i * height, 1},
                     std::string_view(&name[static_cast<std::size_t>(i)], 1), paint);
    }
  }

  void draw_axis() {
    paper_.fill({left_, bottom_, width, 1}, ink);
    const auto length_ns = static_cast<double>(time_.end_ns - time_.begin_ns);
    const double step_ns = step_of(length_ns);
    const time_unit unit = unit_of(step_ns);
    for (double at_ns = 0; at_ns <= length_ns; at_ns += step_ns) {
      const int x = left_ + static_cast<int>(at_ns / length_ns * width);
      const std::string words = atl::text(std::llround(at_ns / unit.ns), " ", unit.name);
      paper_.fill({x, bottom_, 1, tick}, ink);
      paper_.write(
          {x - canvas::text_width(words, text_scale) / 2, bottom_ + tick + gap / 2, text_scale},
          words, ink);
    }
  }

  void draw_meanings() {
    const int y = bottom_ + tick + line + 2 * gap;
    int x = left_;
    const auto draw_meaning = [&](std::size_t kind, std::string_view words) {
      paper_.fill({x, y, line, line}, colour_of(kind));
      paper_.write({x + line + gap, y, text_scale}, words, ink);
      x += line + 4 * gap + canvas::text_width(words, text_scale);
    };
    for (std::size_t kind = 0; kind < recorded_.kinds.size(); ++kind)
      draw_meaning(kind, recorded_.kinds[kind].meaning);
    draw_meaning(recorded_.kinds.size(), "nothing recorded");
  }

  const schedule& recorded_;
  window time_;
  int left_;    // of the bars
  int top_;     // of the bars
  int bottom_;  // of the bars
  canvas paper_;
};

}  // namespace

// The numbers of a span are sent as doubles, in the places of its rank, so the sum of all ranks'
// numbers has them all, and a group needs no other function for it.
std::vector<std::vector<span>> spans_of_all(group& ranks, const std::vector<span>& own) {
  constexpr std::size_t numbers_of_span = 5;
  const auto most = static_cast<std::size_t>(ranks.greatest(static_cast<double>(own.size())));
  std::vector<double> numbers(ranks.size() * most * numbers_of_span);
  double* next = numbers.data() + ranks.rank() * most * numbers_of_span;
  for (const span& each : own) {
    for (const auto number : {static_cast<double>(each.begin_ns), static_cast<double>(each.end_ns),
                              static_cast<double>(each.kind), static_cast<double>(each.part.row),
                              static_cast<double>(each.part.column)})
      *next++ = number;
  }
  ranks.add(numbers);
  std::vector<std::vector<span>> found(ranks.size());
  for (std::size_t i = 0; i < ranks.size() * most; ++i) {
    const double* const sent = numbers.data() + i * numbers_of_span;
    if (sent[1] == 0) continue;  // behind the last span of its rank
    found[i / most].push_back({.begin_ns = static_cast<std::int64_t>(sent[0]),
                               .end_ns = static_cast<std::int64_t>(sent[1]),
                               .kind = static_cast<work_kind>(sent[2]),
                               .part = {.row = static_cast<std::uint32_t>(sent[3]),
                                        .column = static_cast<std::uint32_t>(sent[4])}});
  }
  return found;
}

void draw_run(group& ranks, variant& drawn, journal& times, const std::string& path,
              schedule described) {
  drawn.prepare();
  times.open();
  ranks.barrier();
  drawn.run();
  ranks.barrier();
  times.close();
  described.of_ranks = spans_of_all(ranks, times.spans());
  if (ranks.rank() == 0) draw_schedule(path, drawn.name(), described);
}

image picture_of(const schedule& recorded) { return schedule_painter(recorded).draw(); }

void draw_schedule(const std::string& path, std::string_view variant, const schedule& recorded) {
  if (!can_write_png()) {
    throw atl::error("--png " + path, "this program was built without libpng",
                     "install libpng-dev and build again");
  }
  if (std::ranges::all_of(recorded.of_ranks, &std::vector<span>::empty)) {
    throw atl::error("--png " + path, atl::text("the variant ", variant, " records no schedule"),
                     "name another first");
  }
  const std::string reason = write_png(path, picture_of(recorded));
  if (!reason.empty()) {
    throw atl::error("--png " + path, "the file was not written: " + reason,
                     "name a file in a folder that exists and may be written");
  }
}

}  // namespace trial
