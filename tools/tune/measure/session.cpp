// SPDX-License-Identifier: BSD-3-Clause
//
// A session of measuring. Rank 0 decides what depends on times or on files, and the others follow:
// whether a point is done, how many calls a trial has, which candidates are left out, when the time
// is over.
#include <tools/tune/measure/session.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/tuned/candidates.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <span>
#include <utility>

namespace atl::tune {

namespace {

using clock = std::chrono::steady_clock;
using json = nlohmann::ordered_json;

constexpr unsigned rounds_min = 4;
constexpr double trial_ns = 5e5;                // that a trial should last
constexpr unsigned scouting_rounds = 2;         // after which algorithms may be left out
constexpr double far_behind = 1.6;              // of the best, after those
constexpr std::size_t parameter_bases_max = 2;  // algorithms that are tried with other parameters
constexpr double predicted_factor_max = 6;      // of the best, by the model
constexpr std::uint64_t calls_max = 1000;

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

std::size_t bytes_max_of(const measuring_plan& chosen) {
  return *std::max_element(chosen.sizes.begin(), chosen.sizes.end());
}

// The properties that must be equal for records to belong to this job.
json shape_of(runtime& job) {
  return {{"machine", coll::machine_text()},
          {"ranks", job.size()},
          {"hosts", job.world().hosts().count()},
          {"oversubscribed", job.is_oversubscribed()}};
}

json header_of(const point& measured, runtime& job, unsigned pass) {
  json line = shape_of(job);
  line["collective"] = coll::name_of(measured.kind);
  line["bytes"] = measured.bytes;
  line["blocking"] = measured.blocking;
  if (pass != 0) line["pass"] = pass;
  return line;
}

bool ends_within_a_line(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() <= 0) return false;
  file.seekg(-1, std::ios::end);
  return file.get() != '\n';
}

}  // namespace

session::session(runtime& job, const measuring_plan& chosen)
    : job_(job),
      plan_(chosen),
      trials_(job, bytes_max_of(chosen), chosen.in_flight),
      model_(trials_) {
  if (job_.rank() != 0 || plan_.records.empty()) return;
  const bool was_cut_off = ends_within_a_line(plan_.records);
  records_.open(plan_.records, std::ios::app);
  if (was_cut_off) records_ << '\n';
  if (!records_)
    throw error(plan_.records, "cannot be written", "name a file that can, with --records");
}

// The points of this shape that the file has. A last line that was cut off is no record.
std::set<std::string> session::points_recorded() const {
  std::set<std::string> found;
  std::ifstream file(plan_.records);
  for (std::string line; std::getline(file, line);) {
    json each = json::parse(line, nullptr, false);
    if (!each.is_object()) continue;
    each.erase("rounds");
    each.erase("built_in");
    each.erase("effective");
    each.erase("times_ns");
    found.insert(each.dump());
  }
  return found;
}

std::vector<point> session::points_left() {
  std::set<std::string> recorded;
  if (job_.rank() == 0 && !plan_.records.empty()) recorded = points_recorded();
  std::vector<point> left;
  for (const std::size_t bytes : plan_.sizes) {
    for (const coll::collective kind : plan_.collectives) {
      for (const bool blocking : {true, false}) {
        if (!blocking && !plan_.in_flight) continue;
        const point each{.kind = kind, .bytes = bytes, .blocking = blocking};
        const bool is_done = recorded.contains(header_of(each, job_, plan_.pass).dump());
        if (!trials_.agree(is_done)) left.push_back(each);
      }
    }
  }
  return left;
}

void session::run() {
  const auto begin = clock::now();
  const std::vector<point> points = points_left();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double left = trials_.agree(plan_.seconds - seconds_since(begin));
    if (left <= 0) {
      if (job_.rank() == 0) {
        std::fprintf(stderr, "atoll tune: the time is up with %zu of %zu points left\n",
                     points.size() - i, points.size());
      }
      return;
    }
    report_progress(points[i], i, points.size(), left);
    measure(points[i], left / static_cast<double>(points.size() - i));
  }
}

void session::report_progress(const point& measured, std::size_t done, std::size_t count,
                              double seconds_left) const {
  if (job_.rank() != 0) return;
  std::fprintf(stderr, "[%zu of %zu, %.0f s left] %u ranks: %s\n", done + 1, count, seconds_left,
               static_cast<unsigned>(job_.size()), name_of(measured).c_str());
}

std::vector<session::candidate> session::candidates_of(const point& measured) {
  std::vector<candidate> candidates;
  for (const coll::choice& each : trials_.candidates(measured)) {
    const bool named =
        plan_.only.empty() || std::ranges::count(plan_.only, coll::name_of(each)) != 0;
    if (candidates.empty() || named) candidates.push_back({.tried = each});
  }
  if (plan_.all || !plan_.only.empty()) add_parameters(measured, candidates);
  return candidates;
}

// By the model, which has the same figures on all ranks. The first is the built-in choice.
void session::leave_out_slow_by_model(const point& measured, std::vector<candidate>& candidates) {
  if (plan_.all) return;
  std::vector<double> predicted;
  for (const candidate& each : candidates)
    predicted.push_back(model_.predict_ns(measured, each.tried));
  double best = 0;  // of those that the model covers
  for (const double each : predicted) {
    if (each > 0 && (best == 0 || each < best)) best = each;
  }
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (predicted[i] > predicted_factor_max * best) candidates[i].left_out = true;
  }
}

// By their times, which are the same on all ranks.
void session::leave_out_far_behind(std::vector<candidate>& candidates) {
  if (plan_.all) return;
  const auto least = [](const candidate& each) { return std::ranges::min(each.times_ns); };
  double best = least(candidates.front());
  for (const candidate& each : candidates) {
    if (!each.left_out) best = std::min(best, least(each));
  }
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (!candidates[i].left_out && least(candidates[i]) > far_behind * best)
      candidates[i].left_out = true;
  }
}

// Adds them to the built-in choice and the two that were fastest so far; to all where none is left
// out, or where nothing was measured yet.
void session::add_parameters(const point& measured, std::vector<candidate>& candidates) {
  std::vector<std::size_t> bases;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].left_out) bases.push_back(i);
  }
  if (!plan_.all && !candidates.front().times_ns.empty()) {
    std::ranges::sort(bases, {},
                      [&](std::size_t i) { return std::ranges::min(candidates[i].times_ns); });
    const std::size_t kept = std::min(bases.size(), parameter_bases_max);
    const bool has_built_in = std::ranges::count(std::span(bases).first(kept), 0u) != 0;
    bases.resize(kept);
    if (!has_built_in) bases.push_back(0);
  }
  std::set<std::string> names;
  for (const candidate& each : candidates) names.insert(coll::name_of(each.tried));
  const std::size_t before = candidates.size();
  for (const std::size_t base : bases) {
    for (const coll::choice& each :
         trials_.variants(measured, coll::choice(candidates[base].tried))) {
      const bool named =
          plan_.only.empty() || std::ranges::count(plan_.only, coll::name_of(each)) != 0;
      if (named && names.insert(coll::name_of(each)).second) candidates.push_back({.tried = each});
    }
  }
  if (candidates.size() == before) return;
  for (candidate& each : candidates) each.times_ns.clear();  // all begin together
}

// By algorithm with its radix: the parameters that may make a difference at this point.
std::map<std::string, std::vector<std::string>> session::parameters_that_count(
    const point& measured) const {
  std::map<std::string, std::vector<std::string>> names;
  for (const coll::choice& base : trials_.candidates(measured)) {
    const coll::choice usual{.use = base.use, .radix = base.radix};
    names.emplace(coll::name_of(usual), trials_.parameters_that_count(measured, usual));
  }
  return names;
}

std::uint64_t session::calls_for(const point& measured, const coll::choice& usual) {
  trials_.time_ns(measured, usual, 4);  // the first calls set up connections and buffers
  const double each = trials_.time_ns(measured, usual, 8);
  return std::clamp(static_cast<std::uint64_t>(trial_ns / each), std::uint64_t{4}, calls_max);
}

// Each round begins with a different candidate.
void session::run_round(const point& measured, std::vector<candidate>& candidates,
                        std::uint64_t calls, unsigned round) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    candidate& each = candidates[(i + round) % candidates.size()];
    if (!each.left_out) each.times_ns.push_back(trials_.time_ns(measured, each.tried, calls));
  }
}

// The first call of an algorithm makes connections and allocates memory.
void session::warm_up(const point& measured, const std::vector<candidate>& candidates) {
  for (const candidate& each : candidates) {
    if (!each.left_out) trials_.time_ns(measured, each.tried, 4);
  }
}

void session::measure(const point& measured, double seconds) {
  const auto begin = clock::now();
  std::vector<candidate> candidates = candidates_of(measured);
  const std::uint64_t calls = calls_for(measured, candidates.front().tried);
  leave_out_slow_by_model(measured, candidates);
  warm_up(measured, candidates);
  if (!plan_.all && plan_.only.empty()) {
    for (unsigned round = 0; round < scouting_rounds; ++round) {
      run_round(measured, candidates, calls, round);
    }
    leave_out_far_behind(candidates);
    add_parameters(measured, candidates);
    leave_out_slow_by_model(measured, candidates);
    if (candidates.front().times_ns.empty()) warm_up(measured, candidates);
  }
  for (auto round = static_cast<unsigned>(candidates.front().times_ns.size());
       round < plan_.rounds_max; ++round) {
    const bool is_late = round >= rounds_min && seconds_since(begin) > seconds;
    if (trials_.agree(is_late)) break;
    run_round(measured, candidates, calls, round);
    if (round + 1 == scouting_rounds) leave_out_far_behind(candidates);
  }
  const std::size_t rounds = candidates.front().times_ns.size();
  confirm(measured, candidates, calls);
  record(measured, candidates, rounds);
}

// The best of many is often the luckiest. So it must win again, in as many rounds against the
// built-in choice alone. All ranks have the same times, and choose the same one.
void session::confirm(const point& measured, std::vector<candidate>& candidates,
                      std::uint64_t calls) {
  const auto usual_ns = [](const candidate& each) {
    std::vector<double> times = each.times_ns;
    const auto quarter = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
    std::nth_element(times.begin(), quarter, times.end());
    return *quarter;
  };
  candidate& built_in = candidates.front();
  candidate* best = &built_in;
  for (candidate& each : candidates) {
    if (!each.left_out && usual_ns(each) < usual_ns(*best)) best = &each;
  }
  if (best == &built_in) return;
  const std::size_t rounds = built_in.times_ns.size();
  for (std::size_t round = 0; round < rounds; ++round) {
    std::array<candidate*, 2> order{&built_in, best};
    if (round % 2 != 0) std::swap(order[0], order[1]);
    for (candidate* const each : order) {
      each->times_ns.push_back(trials_.time_ns(measured, each->tried, calls));
    }
  }
}

void session::record(const point& measured, const std::vector<candidate>& candidates,
                     std::size_t rounds) {
  if (!records_.is_open()) return;
  json line = header_of(measured, job_, plan_.pass);
  line["rounds"] = rounds;
  line["built_in"] = coll::name_of(candidates.front().tried);
  line["effective"] = parameters_that_count(measured);
  for (const candidate& each : candidates) {
    if (!each.left_out) line["times_ns"][coll::name_of(each.tried)] = each.times_ns;
  }
  records_ << line.dump() << std::endl;
  if (!records_) throw error(plan_.records, "cannot be written", "is the disk full?");
}

}  // namespace atl::tune
