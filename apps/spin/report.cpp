// SPDX-License-Identifier: BSD-3-Clause
//
// Columns, written by printf. On a terminal the live line is drawn over itself, and a row first
// clears it; elsewhere (a pipe, a file) only rows are written, so that logs stay readable. Nothing
// here may be slow: progress() runs between iterations while all other ranks wait.
#include <apps/spin/report.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

namespace spin {
namespace {

constexpr double difference_max = 1e-10;
constexpr std::int64_t redraw_ns = 50'000'000;
constexpr unsigned bar_width = 24;

double seconds(std::int64_t span_ns) { return static_cast<double>(span_ns) * 1e-9; }

// A rate with its unit: "1.93 G".
std::string scaled(double value) {
  static constexpr const char* units[] = {"", " k", " M", " G", " T"};
  unsigned unit = 0;
  for (; value >= 1000 && unit < 4; ++unit) value /= 1000;
  char line[32];
  std::snprintf(line, sizeof line, "%.3g%s", value, units[unit]);
  return line;
}

const trial& fastest(const std::vector<trial>& trials) {
  return *std::min_element(trials.begin(), trials.end(), [](const trial& a, const trial& b) {
    return a.seconds() < b.seconds();
  });
}

std::string verdict(const outcome& result) {
  if (result.fixed_steps)
    return result.right() ? "spin: stopped after --steps" : "spin: WRONG: below the exact energy";
  if (!result.converged) return "spin: NOT CONVERGED: allow more --iterations";
  if (!result.right()) return "spin: WRONG: the energy is not the exact one";
  const double unit = std::numeric_limits<double>::epsilon();
  const double digits = -std::log10(std::max(result.relative_difference(), unit));
  return atl::text("spin: right to ", static_cast<int>(digits), " digits");
}

}  // namespace

double outcome::relative_difference() const {
  return std::abs(last.energy - exact) / std::abs(exact);
}

bool outcome::right() const {
  if (fixed_steps) return last.energy >= exact - difference_max * std::abs(exact);
  return converged && relative_difference() <= difference_max;
}

double trial::seconds() const {
  std::vector<std::int64_t> times;
  for (const outcome& each : rounds) times.push_back(each.time_ns);
  std::sort(times.begin(), times.end());
  const std::size_t half = times.size() / 2;
  const std::int64_t upper = times[half];
  return spin::seconds(times.size() % 2 != 0 ? upper : (times[half - 1] + upper) / 2);
}

double outcome::flips_per_s(const chain& model) const {
  const double flips = static_cast<double>(model.states()) * model.sites * last.iteration;
  return flips / seconds(time_ns);
}

report::report(const options& chosen, bool speak)
    : chosen_(chosen),
      speak_(speak && !chosen.quiet),
      live_(speak_ && ::isatty(STDOUT_FILENO) != 0),
      start_ns_(atl::now_ns()) {}

void report::heading(const division& plan, const std::string& backend) const {
  if (!speak_) return;
  const chain& model = chosen_.model;
  const unsigned ranks = 1U << plan.exchange.partners;
  std::printf("spin: H = %g sum Sz Sz + %g sum Sx, %u sites, %s\n", model.coupling, model.field,
              model.sites, model.periodic ? "periodic" : "open");
  std::printf("  %llu states on %u rank%s, %s each, kernel %s\n",
              static_cast<unsigned long long>(model.states()), ranks, ranks == 1 ? "" : "s",
              atl::bytes_text(plan.bytes).c_str(), std::string(best_kernels().name).c_str());
  if (plan.exchange.partners != 0) {
    std::printf("  %u of %u flips lead to other ranks (%s), in blocks of %s\n",
                plan.exchange.partners, model.sites, backend.c_str(),
                atl::bytes_text(plan.exchange.block_bytes()).c_str());
  }
  std::fflush(stdout);
}

void report::columns() const {
  if (!speak_) return;
  std::printf("\n  iteration   energy              residual   time\n");
  std::fflush(stdout);
}

void report::progress(const lanczos_step& now) {
  if (!speak_) return;
  const std::int64_t elapsed_ns = atl::now_ns() - start_ns_;
  if (now.iteration == 1) first_residual_ = now.residual;
  if (now.residual < next_row_ || now.iteration == 1) {
    while (next_row_ > now.residual && next_row_ > 1e-16) next_row_ /= 10;
    std::printf("%s  %9u   %-18.12f  %8.1e   %.2f s\n", live_ ? "\r\033[K" : "", now.iteration,
                now.energy, now.residual, seconds(elapsed_ns));
    std::fflush(stdout);
    ++rows_;
  }
  if (live_ && elapsed_ns - shown_ns_ > redraw_ns) {
    shown_ns_ = elapsed_ns;
    live_line(now, elapsed_ns);
  }
}

void report::live_line(const lanczos_step& now, std::int64_t elapsed_ns) const {
  // How far the residual has come on a logarithmic scale is close to linear in time.
  const double total = std::log(first_residual_ / chosen_.tolerance);
  const double done = std::log(first_residual_ / std::max(now.residual, chosen_.tolerance));
  const double part = total > 0 ? std::clamp(done / total, 0.0, 1.0) : 1.0;
  const auto filled = static_cast<std::size_t>(part * bar_width);
  const std::string bar = std::string(filled, '#') + std::string(bar_width - filled, '.');
  const double flips = static_cast<double>(chosen_.model.states()) * chosen_.model.sites;
  std::printf("\r\033[K  %9u   %-18.12f  %8.1e   %.2f s  [%s] %sflips/s", now.iteration, now.energy,
              now.residual, seconds(elapsed_ns), bar.c_str(),
              scaled(flips * now.iteration / seconds(elapsed_ns)).c_str());
  std::fflush(stdout);
}

void report::summary(const outcome& result) {
  if (chosen_.quiet) {
    std::printf("%.12f\n", result.last.energy);
    if (!result.right()) std::fprintf(stderr, "%s\n", verdict(result).c_str());
    return;
  }
  const double time_s = seconds(result.time_ns);
  if (live_) std::printf("\r\033[K");
  std::printf("\n  energy               %.12f\n", result.last.energy);
  std::printf("  exact                %.12f   (free fermions)\n", result.exact);
  std::printf("  relative difference  %.1e\n", result.relative_difference());
  std::printf("  energy per site      %.12f\n", result.last.energy / chosen_.model.sites);
  std::printf("  iterations           %u, residual %.1e\n", result.last.iteration,
              result.last.residual);
  std::printf("  time                 %.3f s, %.3g ms per iteration\n", time_s,
              time_s * 1e3 / result.last.iteration);
  std::printf("  flips                %s/s\n", scaled(result.flips_per_s(chosen_.model)).c_str());
  if (result.ranks > 1) {
    std::printf("  exchanged            %s, %sB/s\n",
                atl::bytes_text(static_cast<std::uint64_t>(result.moved_bytes)).c_str(),
                scaled(result.moved_bytes / time_s).c_str());
    std::printf("  waiting              %.0f %% of the time\n",
                100 * result.waited_ns / static_cast<double>(result.time_ns) / result.ranks);
  }
  std::printf("\n%s\n", verdict(result).c_str());
  std::fflush(stdout);
}

void report::table(const std::vector<trial>& trials) const {
  const double best = fastest(trials).seconds();
  if (speak_) {
    std::printf("\n  variant           ms per iteration   of the fastest   waiting   energy\n");
    for (const trial& each : trials) {
      const outcome& last = each.rounds.back();
      std::printf(
          "  %-16s  %16.3f   %13.2f   %6.0f %%   %.12f%s\n", each.name.c_str(),
          each.seconds() * 1e3 / last.last.iteration, each.seconds() / best,
          std::min(100.0, 100 * last.waited_ns / static_cast<double>(last.time_ns) / last.ranks),
          last.last.energy, each.same_bits ? "" : "   OTHER BITS");
    }
    std::printf("\n");
  }
  const bool bits_agree =
      std::all_of(trials.begin(), trials.end(), [](const trial& each) { return each.same_bits; });
  std::printf("%s\n", bits_agree ? verdict(trials.front().rounds.front()).c_str()
                                 : "spin: WRONG: the variants' energies differ");
  std::fflush(stdout);
}

namespace {

nlohmann::json figures(const outcome& result, const chain& model) {
  return {{"iterations", result.last.iteration},
          {"energy", result.last.energy},
          {"exact", result.exact},
          {"relative_difference", result.relative_difference()},
          {"residual", result.last.residual},
          {"converged", result.converged},
          {"right", result.right()},
          {"time_s", seconds(result.time_ns)},
          {"flips_per_s", result.flips_per_s(model)},
          {"moved_bytes", result.moved_bytes},
          {"waited_s", result.waited_ns * 1e-9 / result.ranks}};
}

nlohmann::json row(const trial& measured, const chain& model) {
  const outcome& result = measured.rounds.front();
  const double flips = static_cast<double>(model.states()) * model.sites * result.last.iteration;
  nlohmann::json entry = figures(result, model);
  entry.update({{"name", measured.name},
                {"seconds", measured.seconds()},
                {"rate", flips / measured.seconds()},
                {"unit", "flips/s"},
                {"error", result.relative_difference()},
                {"same_bits", measured.same_bits}});
  return entry;
}

}  // namespace

void write_json(const options& chosen, const std::string& backend,
                const std::vector<trial>& trials) {
  const chain& model = chosen.model;
  nlohmann::json document = figures(fastest(trials).rounds.front(), model);
  document.update({{"app", "spin"},
                   {"implementation", backend},
                   {"version", ATOLL_VERSION_STRING},
                   {"build", ATOLL_BUILD_STRING},
                   {"sites", model.sites},
                   {"coupling", model.coupling},
                   {"gamma", model.field},
                   {"boundary", model.periodic ? "periodic" : "open"},
                   {"ranks", trials.front().rounds.front().ranks},
                   {"rounds", chosen.rounds},
                   {"kernel", std::string(best_kernels().name)},
                   {"variants", nlohmann::json::array()}});
  for (const trial& each : trials) document["variants"].push_back(row(each, model));
  std::ofstream file(chosen.json_path);
  file << document.dump(2) << '\n';
  file.close();
  if (!file)
    throw atl::error("--json " + chosen.json_path, "the file cannot be written",
                     "name a file in a folder that exists and may be written");
}

}  // namespace spin
