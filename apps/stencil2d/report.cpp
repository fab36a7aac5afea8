// SPDX-License-Identifier: BSD-3-Clause
//
// The report, in columns written by printf. GB/s counts each point as read and written once per
// step, 16 bytes: the traffic between core and memory with ideal caches.
#include <apps/stencil2d/problem.hpp>
#include <apps/stencil2d/report.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>

namespace stencil2d {
namespace {

constexpr double bytes_per_point = 16;

std::string hexadecimal(std::uint64_t bits) {
  char line[20];
  std::snprintf(line, sizeof line, "%016llx", static_cast<unsigned long long>(bits));
  return line;
}

nlohmann::json json_of(const figure& result) {
  return {{"name", result.name},
          {"seconds", result.seconds.median},
          {"mad", result.seconds.mad},
          {"rate", result.points_per_s},
          {"unit", "points/s"},
          {"efficiency", result.efficiency},
          {"bits", hexadecimal(result.bits)},
          {"amplitude_error", result.error},
          {"right", result.right}};
}

nlohmann::json json_of(const outcome& result) {
  const layout& domain = result.domain;
  const rect largest = domain.part_of(0);
  nlohmann::json document = {{"ranks", result.ranks},
                             {"topology", {domain.ranks.x, domain.ranks.y}},
                             {"global", {domain.points.x, domain.points.y}},
                             {"size", {largest.width(), largest.height()}},
                             {"radius", domain.radius},
                             {"steps", result.steps},
                             {"rounds", result.rounds},
                             {"one_core",
                              {{"seconds", result.one_core_s.median},
                               {"mad", result.one_core_s.mad},
                               {"rate", result.one_core_points_per_s},
                               {"unit", "points/s"}}},
                             {"reference", result.has_reference ? "same bits" : "not computed"},
                             {"right", result.right},
                             {"variants", nlohmann::json::array()}};
  if (result.has_reference) document["reference"] = hexadecimal(result.reference);
  for (const figure& each : result.figures) document["variants"].push_back(json_of(each));
  return document;
}

}  // namespace

void report::heading(const setting& given, unsigned ranks) const {
  if (!speak_ || chosen_.quiet) return;
  const layout& domain = given.domain;
  const std::string name(program_.name);
  const std::string kernel_name(given.compute->name);
  const rect largest = domain.part_of(0);
  std::printf("%s: %s points on %u rank%s (%s), radius %d, %u steps, kernel %s\n", name.c_str(),
              text_of(domain.points).c_str(), ranks, ranks == 1 ? "" : "s",
              text_of(domain.ranks).c_str(), domain.radius, given.steps, kernel_name.c_str());
  std::printf("  a block of %s points; %u round%s of each variant, in turns; medians\n\n",
              text_of({largest.width(), largest.height()}).c_str(), chosen_.rounds,
              chosen_.rounds == 1 ? "" : "s");
  std::fflush(stdout);
}

void report::table(const outcome& result) const {
  if (!speak_ || chosen_.quiet) return;
  std::printf("  variant      us per step    +/-     Mpoints/s     GB/s   of %u core%s\n",
              cores_for(result.ranks), cores_for(result.ranks) == 1 ? "" : "s");
  const auto row = [&](const char* name, const spread& seconds, double rate, double efficiency) {
    const double us = 1e6 / result.steps;
    std::printf("  %-11s %12.2f %6.2f %13.1f %8.2f %9.0f %%\n", name, seconds.median * us,
                seconds.mad * us, rate * 1e-6, rate * bytes_per_point * 1e-9, efficiency * 100);
  };
  row("(one core)", result.one_core_s, result.one_core_points_per_s, 1.0 / cores_for(result.ranks));
  for (const figure& each : result.figures)
    row(each.name.c_str(), each.seconds, each.points_per_s, each.efficiency);
  std::printf("\n");
  std::fflush(stdout);
}

void report::growth(const std::vector<outcome>& outcomes) const {
  if (!speak_ || chosen_.quiet || chosen_.growing == series::single) return;
  const bool strong = chosen_.growing == series::strong;
  std::printf("%s scaling, Mpoints/s\n  variant    ", strong ? "strong" : "weak");
  for (const outcome& result : outcomes)
    std::printf("  %4u rank%s", result.ranks, result.ranks == 1 ? " " : "s");
  std::printf("\n");
  for (std::size_t i = 0; i < outcomes.front().figures.size(); ++i) {
    std::printf("  %-11s", outcomes.front().figures[i].name.c_str());
    for (const outcome& result : outcomes)
      std::printf(" %11.1f", result.figures[i].points_per_s * 1e-6);
    std::printf("\n");
  }
  std::printf("\n");
}

void report::verdict(const std::vector<outcome>& outcomes) const {
  if (!speak_) return;
  const std::string name(program_.name);
  bool right = true;
  for (const outcome& result : outcomes) {
    right = right && result.right;
    for (const figure& each : result.figures) {
      if (each.right) continue;
      std::fprintf(
          stderr, "%s: WRONG: %s on %u ranks gives the bits %s, expected %s, modes off by %.1e\n",
          name.c_str(), each.name.c_str(), result.ranks, hexadecimal(each.bits).c_str(),
          hexadecimal(result.has_reference ? result.reference : result.figures.front().bits)
              .c_str(),
          each.error);
    }
  }
  const outcome& last = outcomes.back();
  if (chosen_.quiet) {
    std::printf("%s\n", hexadecimal(last.figures.front().bits).c_str());
  } else if (right) {
    std::printf(
        "%s: right: all variants give the same bits (%s)%s,\n  heat and Fourier modes to %.0e\n",
        name.c_str(), hexadecimal(last.figures.front().bits).c_str(),
        last.has_reference ? ", those of the serial reference" : "", last.figures.front().error);
  }
  std::fflush(stdout);
}

void write_json(const options& chosen, std::string_view implementation,
                const std::vector<outcome>& outcomes) {
  nlohmann::json file = json_of(outcomes.back());
  file["app"] = "stencil2d";
  file["implementation"] = implementation;
  file["version"] = ATOLL_VERSION_STRING;
  file["build"] = ATOLL_BUILD_STRING;
  file["kernel"] = best_kernel().name;
  if (chosen.growing != series::single) {
    file["series"] = chosen.growing == series::strong ? "strong" : "weak";
    file["runs"] = nlohmann::json::array();
    for (const outcome& result : outcomes) file["runs"].push_back(json_of(result));
  }
  std::ofstream out(chosen.json_path);
  out << file.dump(2) << '\n';
  out.close();
  if (!out)
    throw atl::error("--json " + chosen.json_path, "the file cannot be written",
                     "name a file in a folder that exists and may be written");
}

}  // namespace stencil2d
