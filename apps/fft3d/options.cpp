// SPDX-License-Identifier: BSD-3-Clause
//
// The options of fft3d. The count of operations is the customary 5 N log2 N, for both directions.
#include <CLI/CLI.hpp>
#include <apps/fft3d/kinds.hpp>
#include <apps/fft3d/memory.hpp>
#include <apps/fft3d/options.hpp>
#include <apps/fft3d/problem.hpp>
#include <apps/trial/choice.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <fftw3.h>

#include <array>
#include <charconv>
#include <cmath>

namespace fft3d {
namespace {

constexpr std::size_t length_max = 1U << 20;
constexpr std::size_t points_max = std::size_t{1} << 36;
constexpr double error_max = 1e-12;  // about 50 roundings of numbers near 1

// "N" or "AxBxC"; false for anything else.
bool parse_extent(std::string_view text, extent& into) {
  std::array<std::size_t, 3> sides{};
  std::size_t count = 0;
  const char* position = text.data();
  const char* const end = position + text.size();
  while (count < sides.size()) {
    const auto [end_of_number, failure] = std::from_chars(position, end, sides[count]);
    if (failure != std::errc{} || sides[count] == 0 || sides[count] > length_max) return false;
    ++count;
    position = end_of_number;
    if (position == end) break;
    if (*position++ != 'x') return false;
  }
  if (position != end || count == 2) return false;
  into = count == 1 ? extent{sides[0], sides[0], sides[0]} : extent{sides[0], sides[1], sides[2]};
  return true;
}

bool has_pencils(const std::string& name) {
  const kind* const found = find_kind(name);
  return found != nullptr && found->has_pencils;
}

std::string text_of(const extent& size) { return atl::text(size.n0, "x", size.n1, "x", size.n2); }

}  // namespace

std::string_view program::about() const {
  return "fft3d: the Fourier transform of complex numbers in three dimensions, there and back, "
         "over\n"
         "all ranks, in several ways. The spectrum is left with its first two dimensions "
         "exchanged.\n"
         "Fails when a way does not bring the field back, breaks Parseval's theorem, or differs "
         "from\n"
         "FFTW on one rank (compared up to 2^21 points).";
}

void program::add_options(CLI::App& app) {
  const auto read = [this](const std::string& text) {
    if (!parse_extent(text, chosen_.size)) {
      throw CLI::ValidationError(
          "--size", atl::text("'", text, "' is not N or AxBxC, each from 1 to ", length_max));
    }
    if (chosen_.size.points() > points_max) {
      throw CLI::ValidationError("--size", atl::text("'", text, "' has ", chosen_.size.points(),
                                                     " points, which is more than ", points_max));
    }
  };
  app.add_option_function<std::string>("-n,--size", read, "points in each dimension (default: 128)")
      ->option_text("AxBxC");
  chosen_.planning = FFTW_MEASURE;
  trial::add_choice(
      app, "--planning", chosen_.planning,
      {{"estimate", FFTW_ESTIMATE}, {"measure", FFTW_MEASURE}, {"patient", FFTW_PATIENT}},
      "how long FFTW looks for its plans: estimate, measure (default) or patient");
}

std::vector<std::string> program::usual(unsigned ranks) const {
  std::vector<std::string> names = variants_;
  if (!makes_pencils(ranks)) std::erase_if(names, has_pencils);
  return names;
}

trial::work program::plan(unsigned ranks, const std::vector<std::string>& names) const {
  const bool no_pencils = !makes_pencils(ranks);
  const std::string why =
      atl::text(ranks, ranks == 1 ? " rank makes" : " ranks make", " no pencils");
  for (const std::string& name : names) {
    if (no_pencils && has_pencils(name)) {
      throw atl::error(name, why,
                       "use a number of ranks that is not prime, or a variant without pencils");
    }
  }
  const bool leaves_out = names == usual(ranks) && names != variants_;
  const extent& size = chosen_.size;
  const double points = static_cast<double>(size.points());
  const memory_plan memory = memory_of(size, ranks, names);
  return {.title = text_of(size) + " points, there and back" + (leaves_out ? "; " + why : ""),
          .tasks = {{.operations = 2 * 5 * points * std::log2(points), .error_max = error_max}},
          .bytes_of_rank = memory.shared,
          .bytes_in_all = (memory.shared + memory.own) * ranks,
          .facts = {{"n0", size.n0}, {"n1", size.n1}, {"n2", size.n2}}};
}

}  // namespace fft3d
