// SPDX-License-Identifier: BSD-3-Clause
//
// The options. A run must take some milliseconds to be timed, so small blocks get more steps. A
// series chooses its own topologies; one that the user gives is for all ranks.
#include <CLI/CLI.hpp>
#include <apps/stencil2d/options.hpp>
#include <apps/stencil2d/problem.hpp>
#include <apps/trial/choice.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <iostream>

namespace stencil2d {
namespace {

constexpr const char* about =
    "stencil2d: heat spreads on a periodic square. Each step replaces every point by a weighted\n"
    "sum of the (2r+1)^2 points around it; ranks hold blocks and exchange halos of r points, in\n"
    "several ways. Fails when the ways do not all give the same bits, or when these are wrong.";

constexpr double point_steps = 1e7;  // of a block and a run, for radius 1
constexpr unsigned steps_min = 20;
constexpr unsigned steps_max = 1000;

void add_extent(CLI::App& app, const char* name, extent& into, const char* description) {
  const auto read = [&into, name](const std::string& text) {
    if (!parse_extent(text, into))
      throw CLI::ValidationError(name, "'" + text + "' is not N or NxM, from 1 to 1000000");
  };
  app.add_option_function<std::string>(name, read, description)->option_text("NxM");
}

void add_problem(CLI::App& app, options& into) {
  add_extent(app, "-n,--size", into.size, "points of each rank's block (default: 256x256)");
  add_extent(app, "-g,--global", into.global, "points of the whole domain instead");
  add_extent(app, "-t,--topology", into.topology, "ranks across and down (default: nearly square)");
  app.add_option("-r,--radius", into.radius, "of the stencil, and points of halo")
      ->check(CLI::Range(1, radius_max))
      ->capture_default_str();
  app.add_option("-s,--steps", into.steps, "steps of a run (default: some milliseconds of them)")
      ->check(CLI::Range(1U, 1'000'000U))
      ->option_text("N");
}

void add_options(CLI::App& app, const program_traits& program, options& into) {
  add_problem(app, into);
  app.add_option("--rounds", into.rounds, "timed runs of each variant; none begins after 10 s")
      ->check(CLI::Range(1U, 10'000U))
      ->capture_default_str();
  std::string names;
  for (const std::string& name : program.variants) names += (names.empty() ? "" : ", ") + name;
  app.add_option("--variants", into.variants, "of " + names + " (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(program.variants))
      ->option_text("NAME,...");
  trial::add_choice(app, "--series", into.growing,
                    {{"strong", series::strong}, {"weak", series::weak}},
                    "on 1, 2, 4, ... ranks: strong (the same domain) or weak (the same block)");
  app.add_flag("-q,--quiet", into.quiet, "print the sum of all bits and nothing else");
  app.add_option("--json", into.json_path, "write result and timings to this file")
      ->option_text("FILE");
  if (!program.draws) return;
  app.add_option("--memory", into.memory,
                 "cuda or hip: the variant `device`, with fields on a device, beside `elegant`")
      ->check(CLI::IsMember({"host", "cuda", "hip"}))
      ->option_text("KIND");
  app.add_option("--png", into.picture_folder, "draw the field into PNG files in this folder")
      ->option_text("DIR");
  app.add_option("--every", into.every, "steps from frame to frame (default: 8 frames)")
      ->check(CLI::Range(1U, 1'000'000U))
      ->option_text("K");
}

unsigned chosen_steps(const options& chosen, const layout& domain) {
  if (chosen.steps != 0) return chosen.steps;
  const rect block = domain.part_of(0);
  const double side = 2 * chosen.radius + 1;
  const double work = static_cast<double>(block.points()) * side * side / 9;
  return std::clamp(static_cast<unsigned>(point_steps / work), steps_min, steps_max);
}

extent topology_for(const options& chosen, unsigned ranks, unsigned total) {
  const extent given = chosen.topology;
  if (given.x == 0 || (ranks != total && chosen.growing != series::single))
    return nearest_to_square(ranks);
  if (static_cast<unsigned>(given.x) * static_cast<unsigned>(given.y) != ranks) {
    throw atl::error("--topology " + text_of(given),
                     atl::text("it is for ", given.x * given.y, " ranks and there are ", ranks),
                     "use " + text_of(nearest_to_square(ranks)) + ", or leave the option out");
  }
  return given;
}

}  // namespace

std::optional<int> parse(int argc, char** argv, const program_traits& program, bool speak,
                         options& into) {
  CLI::App app(about);
  add_options(app, program, into);
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success&) {
    if (speak) std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& mistake) {
    if (speak) std::cerr << program.name << ": " << mistake.what() << "; see --help\n";
    return 2;
  }
}

setting setting_for(const options& chosen, unsigned rank, unsigned ranks, unsigned total) {
  setting made{.rank = rank};
  layout& domain = made.domain;
  domain.radius = chosen.radius;
  domain.ranks = topology_for(chosen, ranks, total);
  domain.points = chosen.global;
  if (domain.points.x == 0) {
    const extent grid =
        chosen.growing == series::strong ? topology_for(chosen, total, total) : domain.ranks;
    domain.points = {chosen.size.x * grid.x, chosen.size.y * grid.y};
  }
  if (!domain.fits()) {
    const extent least{domain.points.x / domain.ranks.x, domain.points.y / domain.ranks.y};
    throw atl::error(atl::text("--radius ", chosen.radius),
                     "a block of " + text_of(least) + " points has not as many on each side",
                     "use a smaller radius, larger blocks, or fewer ranks");
  }
  made.local = domain.block_of(rank);
  made.weights = heat_weights(chosen.radius);
  made.compute = &best_kernel();
  made.steps = chosen_steps(chosen, domain);
  return made;
}

std::vector<unsigned> counts_for(const options& chosen, unsigned total) {
  std::vector<unsigned> counts;
  if (chosen.growing != series::single)
    for (unsigned count = 1; count < total; count *= 2) counts.push_back(count);
  counts.push_back(total);
  return counts;
}

}  // namespace stencil2d
